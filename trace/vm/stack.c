// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stack.c - stacks of frames, each kept once, known by a number.
 *
 * Owns: their places in the arena, found by a hash of the frames.  A place is
 * claimed, written and then READY for good; maps that are cleared leave them.
 *
 * Invariant: as map.c's.  No locks.
 */
#include "vm.h"
#include "word.h"

#define REACH		64
#define PATIENCE	1024		/* loads of a word that is claimed */

static struct kt_stack *stack_at(const struct kt_vm *vm, u32 number)
{
	return (void *)(vm->arena + vm->layout.stacks +
			(u64)number * kt_stack_len(vm->program));
}

/* The word once it is not of another maker with the same frames, or still. */
static u64 settled(struct kt_stack *stack, u64 claimed)
{
	u64 word = kt_load_acquire(&stack->word);
	u32 i;

	for (i = 0; i < PATIENCE && word == claimed; i++)
		word = kt_load_acquire(&stack->word);
	return word;
}

static void fill(struct kt_stack *stack, u64 hash, const u64 *frames, u32 nr)
{
	kt_store(&stack->nr, nr);
	kt_words_copy(stack->frames, frames, 8 * nr);
	/* Pairs with settled() and kt_stack_get(). */
	kt_store_release(&stack->word, hash | KT_SLOT_READY);
}

u32 kt_stack_put(const struct kt_vm *vm, const u64 *frames, u32 nr)
{
	struct kt_arena *head = (void *)vm->arena;
	u32 mask = vm->program->stacks - 1, number, i;
	u64 hash, word;

	nr = nr < vm->program->depth ? nr : vm->program->depth;
	if (!nr || !vm->program->stacks)
		return KT_NO_STACK;
	hash = kt_hash(frames, 8 * nr) & ~KT_SLOT_STATE;
	number = (u32)(hash >> 2) & mask;
	for (i = 0; i < REACH && i <= mask; i++, number = (number + 1) & mask) {
		struct kt_stack *stack = stack_at(vm, number);

		if (kt_load(&stack->word) == KT_SLOT_FREE &&
		    kt_swap(&stack->word, KT_SLOT_FREE, hash | KT_SLOT_CLAIMED)) {
			fill(stack, hash, frames, nr);
			return number;
		}
		word = settled(stack, hash | KT_SLOT_CLAIMED);
		if (word == (hash | KT_SLOT_READY) && kt_load(&stack->nr) == nr &&
		    kt_words_same(stack->frames, frames, 8 * nr))
			return number;
	}
	kt_add(&head->stacks_lost, 1);
	return KT_NO_STACK;
}

/* The stack of that number, which is whole, or NULL. */
static struct kt_stack *ready(const struct kt_vm *vm, u32 number)
{
	struct kt_stack *stack;

	if (number >= vm->program->stacks)
		return NULL;
	stack = stack_at(vm, number);
	/* Pairs with fill(). */
	return (kt_load_acquire(&stack->word) & KT_SLOT_STATE) == KT_SLOT_READY ? stack : NULL;
}

/* Frames that it has, whatever the arena says; at most room. */
static u32 frames_of(const struct kt_vm *vm, const struct kt_stack *stack, u32 room)
{
	u64 nr = stack ? kt_load(&stack->nr) : 0;

	room = room < vm->program->depth ? room : vm->program->depth;
	return nr < room ? (u32)nr : room;
}

u32 kt_stack_depth(const struct kt_vm *vm, u32 number)
{
	return frames_of(vm, ready(vm, number), KT_DEPTH_MAX);
}

u32 kt_stack_get(const struct kt_vm *vm, u32 number, u64 *frames, u32 room)
{
	const struct kt_stack *stack = ready(vm, number);
	u32 nr = frames_of(vm, stack, room);

	if (nr)
		kt_words_copy(frames, stack->frames, 8 * nr);
	return nr;
}
