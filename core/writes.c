/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writes.c - an instruction of watched code is about to write, and has written.
 *
 * Owns: the index of memory that is watched by probes on code, and the notes that are taken
 * before an instruction that writes there, for the call after it.
 *
 * A note belongs to a stack pointer: between the two calls nobody owns the context, and in a
 * kernel the processor may be another one.  If the instruction of a note is never completed (it
 * faults, or somebody jumps away), the next call that needs its place takes it.  The write that
 * it stood for then counts as missed, unless the same instruction comes again on the same stack.
 *
 * Invariant: the owner of a note's key writes and reads the note; a key changes by
 * compare-and-swap.
 *
 * Locks: the registry lock to change the index; readers take none.  Trap path.
 */
#include "writes.h"
#include "access.h"
#include "children.h"
#include "hit.h"
#include "watched.h"

/* The index is by stretches of memory of this length. */
#define GRAIN 256u
#define STRETCHES 4096u
#define LEN_MAX (1u << 20)

struct kp_writes_part {
	struct kp_writes_part *next;	/* lock-free readers */
	struct kp_watched *watched;
};

static struct kp_writes_part *stretches[STRETCHES];

#define SETS 64u
#define WAYS 8u

struct note {
	uintptr_t sp;			/* the key; 0: free; atomic */
	const struct kp_writer *writer;
	uint64_t serial;		/* of what is watched */
	struct kp_watch_store store;
	uint8_t before[KP_WATCH_STORE_MAX];
};

/* Made once, with the first such probe. */
static struct note *notes;
/* Of the next watch probe; registry lock. */
static uint64_t serials;

KP_TRAP_PATH static struct kp_writes_part **stretch(uintptr_t grain)
{
	return &stretches[kp_hash(grain) % STRETCHES];
}

/* ---- the index --------------------------------------------------------------------- */

static size_t parts_of(const struct kp_watched *watched)
{
	return (watched->site.addr + watched->len - 1) / GRAIN -
	       watched->site.addr / GRAIN + 1;
}

int kp_writes_prepare(struct kp_watched *watched, const char **reason)
{
	*reason = "that is more than probes on code look for";
	if (watched->len > LEN_MAX)
		return -ENOSPC;
	*reason = "out of memory";
	if (!notes)
		notes = kp_host_alloc(SETS * WAYS * sizeof(*notes));
	watched->parts = kp_host_alloc(parts_of(watched) *
				       sizeof(*watched->parts));
	watched->serial = ++serials;
	return notes && watched->parts ? 0 : -ENOMEM;
}

void kp_writes_add(struct kp_watched *watched)
{
	uintptr_t grain = watched->site.addr / GRAIN;
	size_t i, nr = parts_of(watched);

	for (i = 0; i < nr; i++) {
		struct kp_writes_part *part = &watched->parts[i];
		struct kp_writes_part **at = stretch(grain + i);

		/* The oldest is told first, as where probes share what is watched. */
		while (*at)
			at = &(*at)->next;
		part->watched = watched;
		part->next = NULL;
		/* Pairs with first() and the readers behind it: it is complete. */
		kp_store_release(at, part);
	}
}

void kp_writes_remove(struct kp_watched *watched)
{
	uintptr_t grain = watched->site.addr / GRAIN;
	size_t i, nr = parts_of(watched);

	for (i = 0; i < nr; i++) {
		struct kp_writes_part **at = stretch(grain + i);

		while (*at != &watched->parts[i])
			at = &(*at)->next;
		/* A reader on this one still finds its way on. */
		kp_store_release(at, watched->parts[i].next);
	}
}

void kp_writes_drop(struct kp_watched *watched)
{
	kp_host_free(watched->parts);
}

/* Pairs with kp_writes_add. */
KP_TRAP_PATH static struct kp_writes_part *first(uintptr_t grain)
{
	return kp_load_acquire(stretch(grain));
}

/* What is noted nobody comes back for. */
void kp_writes_stop(void)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_host_free(notes);
	notes = NULL;
	kp_hit_noted = 0;
}

/* ---- notes ------------------------------------------------------------------------------ */

KP_TRAP_PATH static struct note *set_of(uintptr_t sp)
{
	return &notes[kp_hash(sp) % SETS * WAYS];
}

/* By its owner: whether it still was. */
KP_TRAP_PATH static bool give_back(struct note *note, uintptr_t sp)
{
	uintptr_t key = sp;

	/*
	 * Pairs with the swaps of take_note(): what was copied of the note was so before
	 * another stack could write it.  It may fail for no reason.
	 */
	while (!kp_swap_if(&note->sp, &key, 0))
		if (key != sp)
			return false;
	kp_add_relaxed(&kp_hit_noted, -1ul);
	return true;
}

/* What an instruction left there that was not done, when it was last tried. */
KP_TRAP_PATH static void forget(const struct kp_writer *writer, uintptr_t sp)
{
	struct note *set = set_of(sp);
	unsigned int i;

	if (!kp_load_relaxed(&kp_hit_noted))
		return;
	for (i = 0; i < WAYS; i++)
		if (kp_load_acquire(&set[i].sp) == sp &&
		    set[i].writer == writer)
			give_back(&set[i], sp);
}

/* Counts as missed whatever the note was about. */
KP_TRAP_PATH static void miss(uint64_t serial)
{
	/* Pairs with link() in wprobe.c: each is complete. */
	struct kp_watched *watched = kp_load_acquire(&kp_watched_list);

	for (; watched; watched = kp_load_acquire(&watched->next))
		if (watched->serial == serial)
			kp_hit_missed(&watched->site);
}

/* A free one, or the next of somebody else's; NULL: all are of this stack. */
KP_TRAP_PATH static struct note *take_note(uintptr_t sp)
{
	static unsigned int turn;
	struct note *set = set_of(sp);
	uint64_t serial;
	uintptr_t old;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		old = 0;
		/* Pairs with give_back(): who had it before is done with it. */
		if (!kp_load_relaxed(&set[i].sp) &&
		    kp_swap_if(&set[i].sp, &old, sp)) {
			kp_add_relaxed(&kp_hit_noted, 1ul);
			return &set[i];
		}
	}
	for (i = 0; i < WAYS; i++) {
		struct note *note = &set[kp_add_relaxed(&turn, 1) % WAYS];

		old = kp_load_acquire(&note->sp);
		serial = kp_load_relaxed(&note->serial);
		/* The same, of one that is not done: his give_back() fails. */
		if (old && old != sp && kp_swap_if(&note->sp, &old, sp)) {
			miss(serial);
			return note;
		}
	}
	return NULL;
}

/* ---- handlers ------------------------------------------------------------------------ */

struct telling {
	struct kp_watched *watched;
	const struct kp_watch_store *store;
	struct pt_regs *regs;
	bool before;
};

/*
 * Inside a handler's call: what guards that one, and says whose it is, is put aside,
 * so that a watch probe's handler that faults is abandoned alone.
 */
KP_TRAP_PATH static void call(void *arg)
{
	const struct telling *telling = arg;
	struct kp_context *ctx = kp_host_context();
	struct kp_arch_guard guard = ctx->guard;
	struct kp_child *current = ctx->current;
	struct pt_regs *framed = ctx->framed;
	uintptr_t frame = ctx->frame;

	ctx->framed = NULL;
	if (frame)
		ctx->frame |= KP_FRAME_GUARDED;
	kp_watched_tell(ctx, telling->watched, telling->store, telling->regs,
			telling->before);
	ctx->frame = frame;
	ctx->framed = framed;
	ctx->current = current;
	ctx->guard = guard;
}

/* Ours use no vector registers, so that none are kept around our two handlers. */
KP_TRAP_PATH static void tell(struct telling *telling)
{
	kp_arch_keeping(KP_ARCH_KEEP_ALL, call, telling);
}

/* ---- before ------------------------------------------------------------------------------- */

/* The bytes of it that [addr, addr+len) has. */
KP_TRAP_PATH static size_t overlap(const struct kp_watched *watched,
				   uintptr_t addr, size_t len, uintptr_t *from)
{
	uintptr_t end = addr + len, watched_end = watched->site.addr +
						  watched->len;

	*from = addr > watched->site.addr ? addr : watched->site.addr;
	end = end < watched_end ? end : watched_end;
	return *from < end ? end - *from : 0;
}

KP_TRAP_PATH static bool wants_before(const struct kp_watched *watched)
{
	const struct kp_child *child = kp_child_first(&watched->site);

	while (child && !kp_wprobe_of(child)->before)
		child = kp_child_next(child);
	return child;
}

KP_TRAP_PATH static void tell_before(const struct note *note,
				     const struct kp_writer *writer,
				     struct kp_watched *watched,
				     const struct pt_regs *regs)
{
	struct kp_watch_store store = note->store;
	struct pt_regs seen = *regs;
	struct telling telling = { .watched = watched, .store = &store,
				   .regs = &seen, .before = true };

	store.before = store.after = note->before;
	instruction_pointer_set(&seen, writer->at);
	tell(&telling);
}

KP_TRAP_PATH static bool code_has(const struct kp_code *code, uintptr_t addr)
{
	size_t low = 0, high = code->spans_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr - code->spans[mid].addr < code->spans[mid].len)
			return true;
		if (addr < code->spans[mid].addr)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/* sp is 0: nobody will be called after it. */
KP_TRAP_PATH static void note_down(const struct kp_writer *writer,
				   struct kp_watched *watched, uintptr_t sp,
				   uintptr_t addr, size_t len,
				   const struct pt_regs *regs)
{
	struct note *note;

	/* Pairs with arm() in wprobe.c. */
	if (kp_load_acquire(&watched->site.state) != KP_SITE_ARMED ||
	    !code_has(watched->code, writer->at))
		return;
	/* Of more than there is room for the first bytes are told. */
	if (len > sizeof(note->before)) {
		kp_hit_missed(&watched->site);
		len = sizeof(note->before);
	}
	note = sp ? take_note(sp) : NULL;
	if (!note) {
		kp_hit_missed(&watched->site);
		return;
	}
	note->writer = writer;
	note->store.addr = addr;
	note->store.len = (unsigned int)len;
	kp_store_relaxed(&note->serial, watched->serial);
	if (kp_host_data_read(addr, note->before, len))
		give_back(note, sp);
	else if (wants_before(watched))
		tell_before(note, writer, watched, regs);
}

/* Once each, in the first of the stretches that both have. */
KP_TRAP_PATH static void look_in(const struct kp_writer *writer,
				 uintptr_t grain, uintptr_t sp, uintptr_t addr,
				 size_t len, const struct pt_regs *regs)
{
	struct kp_writes_part *part = first(grain);
	uintptr_t from;
	size_t both;

	/* As first(). */
	for (; part; part = kp_load_acquire(&part->next)) {
		both = overlap(part->watched, addr, len, &from);
		if (both && from / GRAIN == grain)
			note_down(writer, part->watched, sp, from, both, regs);
	}
}

/* So many bytes that the stretches are more than what is watched. */
KP_TRAP_PATH static void look_everywhere(const struct kp_writer *writer,
					 uintptr_t sp, uintptr_t addr,
					 size_t len, const struct pt_regs *regs)
{
	/* Pairs with link() in wprobe.c: each is complete. */
	struct kp_watched *watched = kp_load_acquire(&kp_watched_list);
	uintptr_t from;
	size_t both;

	for (; watched; watched = kp_load_acquire(&watched->next)) {
		both = watched->code ? overlap(watched, addr, len, &from) : 0;
		if (both)
			note_down(writer, watched, sp, from, both, regs);
	}
}

KP_TRAP_PATH static void look(const struct kp_writer *writer, uintptr_t sp,
			      struct pt_regs *regs)
{
	uintptr_t addr, grain, last;
	size_t len = kp_arch_write_at(&writer->write, regs, &addr);

	if (!len || addr + len - 1 < addr)
		return;
	grain = addr / GRAIN;
	last = (addr + len - 1) / GRAIN;
	if (last - grain > STRETCHES)
		look_everywhere(writer, sp, addr, len, regs);
	else
		for (; grain <= last; grain++)
			look_in(writer, grain, sp, addr, len, regs);
}

KP_TRAP_PATH static const struct kp_writer *writer_of(const struct kprobe *kp)
{
	return (const struct kp_writer *)(const void *)kp;
}

KP_TRAP_PATH int kp_writes_before(struct kprobe *kp, struct pt_regs *regs)
{
	uintptr_t sp = kernel_stack_pointer(regs);

	forget(writer_of(kp), sp);
	look(writer_of(kp), sp, regs);
	return 0;
}

KP_TRAP_PATH void kp_writes_missed(struct kp_noting *noting,
				    struct pt_regs *regs)
{
	look(writer_of(&noting->kp), 0, regs);
}

/* ---- after --------------------------------------------------------------------------------- */

KP_TRAP_PATH static struct kp_watched *noted(const struct note *note)
{
	struct kp_writes_part *part = first(note->store.addr / GRAIN);

	/* As first(). */
	while (part && part->watched->serial != note->serial)
		part = kp_load_acquire(&part->next);
	return part ? part->watched : NULL;
}

KP_TRAP_PATH static void done(struct note *note, uintptr_t sp,
			      struct pt_regs *regs)
{
	struct note copy = *note;
	uint8_t after[KP_WATCH_STORE_MAX];
	struct telling telling = { .store = &copy.store, .regs = regs };

	if (!give_back(note, sp))
		return;
	telling.watched = noted(&copy);
	if (!telling.watched || kp_host_data_read(copy.store.addr, after, copy.store.len))
		return;
	copy.store.before = copy.before;
	copy.store.after = after;
	tell(&telling);
}

KP_TRAP_PATH void kp_writes_after(struct kp_noting *noting,
				   struct pt_regs *regs)
{
	const struct kp_writer *writer = writer_of(&noting->kp);
	uintptr_t sp = kernel_stack_pointer(regs);
	struct note *set = set_of(sp);
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (kp_load_acquire(&set[i].sp) == sp &&
		    set[i].writer == writer)
			done(&set[i], sp, regs);
}
