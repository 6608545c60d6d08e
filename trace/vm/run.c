// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * run.c - the virtual machine that executes trace programs.
 *
 * Owns: what each instruction does.  kt_check() has verified the program, so registers, places
 * in the scratch memory and the constants, maps and events are used unchecked.  What comes from
 * memory or the arena is only ever a value.
 *
 * Time: an instruction can be executed once more for each backward jump, so a backward jump
 * costs its distance, and other instructions are free; maps, memory and the like cost something
 * each.  Only instructions that cost something check what is left.
 */
#include "kt_host.h"
#include "word.h"

struct frame {
	const struct kt_vm *vm;
	struct kt_hit *hit;
	s64 steps;			/* that are left */
	u64 r[KT_REGS];
	u8 s[KT_SCRATCH_MAX] __attribute__((aligned(8)));
};

#define COST_LOAD	4
#define COST_MAP	8		/* of a key that is searched */
#define COST_HOST	32		/* of memory, stacks, events */

/* ---- numbers ------------------------------------------------------------------ */

/* The smallest number by -1 is itself again. */
static u64 sdiv(s64 x, s64 y)
{
	if (y == -1)
		return 0 - (u64)x;
	return y ? (u64)kt_sdiv(x, y) : 0;
}

static u64 smod(s64 x, s64 y)
{
	if (!y)
		return (u64)x;
	return y == -1 ? 0 : (u64)(x - kt_sdiv(x, y) * y);
}

static u64 get_random(struct frame *f, const struct kt_insn *insn)
{
	u64 seed[3] = { kt_host_nsecs(), (u64)(unsigned long)insn + f->r[insn->a],
			(u64)kt_host_tid() << 32 | kt_host_cpu() };

	return kt_hash(seed, sizeof(seed)) >> 32;
}

/*
 * A function that returns an int leaves the upper half of a register of 64 bits to chance,
 * which is 0 most of the time.  What is an error's number in 32 bits is taken for one:
 * hardly anything else lies in the last 4096 bytes of the first 4 GB.
 */
static u64 returned(const struct kt_hit *hit)
{
	u64 value = kt_host_retval(hit);

	return sizeof(long) == 4 || value >> 12 == 0xfffff ? (u64)(s64)(s32)value : value;
}

u64 kt_get(const struct kt_vm *vm, const struct kt_hit *hit, u32 which)
{
	struct kt_arena *arena = (void *)vm->arena;

	switch (which) {
	case KT_GET_NSECS:
		return kt_host_nsecs();
	case KT_GET_ELAPSED:
		return kt_host_nsecs() - kt_load(&arena->begin);
	case KT_GET_PID:
		return kt_host_pid();
	case KT_GET_TID:
		return kt_host_tid();
	case KT_GET_UID:
		return kt_host_uid();
	case KT_GET_GID:
		return kt_host_gid();
	case KT_GET_CPU:
		return kt_host_cpu();
	case KT_GET_CURTASK:
		return kt_host_curtask();
	case KT_GET_CGROUP:
		return kt_host_cgroup();
	case KT_GET_PROBE:
		return hit->probe;
	case KT_GET_ADDR:
		return hit->addr;
	case KT_GET_IP:
		return hit->regs ? kt_host_ip(hit) : 0;
	case KT_GET_SP:
		return hit->regs ? kt_host_sp(hit) : 0;
	case KT_GET_RETURNED:
		return hit->regs ? returned(hit) : 0;
	default:
		return hit->regs ? kt_host_retval(hit) : 0;
	}
}

/* ---- memory ------------------------------------------------------------------- */

static u64 load(struct frame *f, const struct kt_insn *insn)
{
	u32 len = 1u << (insn->c & KT_SIZE_MASK);
	u64 value = 0;

	f->steps -= COST_LOAD;
	if (kt_host_read(&value, f->r[insn->b] + (u64)(s64)insn->imm, len,
			 insn->c & KT_USER))
		return 0;
	return kt_extend(value, insn->c);
}

static u64 load_scratch(const struct frame *f, const struct kt_insn *insn)
{
	u64 value = 0;

	/* Little endian: the low bytes are the first. */
	switch (insn->c & KT_SIZE_MASK) {
	case KT_SIZE_1:
		value = f->s[insn->imm];
		break;
	case KT_SIZE_2:
		__builtin_memcpy(&value, &f->s[insn->imm], 2);
		break;
	case KT_SIZE_4:
		__builtin_memcpy(&value, &f->s[insn->imm], 4);
		break;
	default:
		__builtin_memcpy(&value, &f->s[insn->imm], 8);
	}
	return insn->c & KT_SIGNED ? kt_extend(value, insn->c) : value;
}

static void store_scratch(struct frame *f, const struct kt_insn *insn)
{
	u64 value = f->r[insn->a];
	u32 size = insn->c & KT_SIZE_MASK;

	if (kt_likely(size == KT_SIZE_8))
		__builtin_memcpy(&f->s[insn->imm], &value, 8);
	else if (size == KT_SIZE_4)
		__builtin_memcpy(&f->s[insn->imm], &value, 4);
	else if (size == KT_SIZE_2)
		__builtin_memcpy(&f->s[insn->imm], &value, 2);
	else
		f->s[insn->imm] = (u8)value;
}

static void read_string(struct frame *f, const struct kt_insn *insn)
{
	char *to = (char *)&f->s[kt_lo(insn)];
	u32 len = kt_hi(insn), room = len;
	int nr = 0;

	f->steps -= COST_HOST + len / 8;
	if (f->r[insn->b] < len)
		room = (u32)f->r[insn->b] + 1 < len ? (u32)f->r[insn->b] + 1 : len;
	if (room > 1)
		nr = kt_host_string(to, f->r[insn->a], room, insn->c & KT_USER);
	if (nr < 0 || (u32)nr >= room)
		nr = 0;
	__builtin_memset(to + nr, 0, len - (u32)nr);
}

static void read_buffer(struct frame *f, const struct kt_insn *insn)
{
	u8 *to = &f->s[kt_lo(insn)];
	u32 room = kt_hi(insn) - 8;
	u64 len = f->r[insn->b] < room ? f->r[insn->b] : room;

	f->steps -= COST_HOST + room / 8;
	if (len && kt_host_read(to + 8, f->r[insn->a], (u32)len, insn->c & KT_USER))
		len = 0;
	__builtin_memset(to + 8 + len, 0, room - len);
	__builtin_memcpy(to, &len, 8);
}

static void read_memory(struct frame *f, const struct kt_insn *insn)
{
	u8 *to = &f->s[kt_lo(insn)];

	f->steps -= COST_HOST + kt_hi(insn) / 8;
	if (kt_host_read(to, f->r[insn->a], kt_hi(insn), insn->c & KT_USER))
		__builtin_memset(to, 0, kt_hi(insn));
}

static bool same_strings(struct frame *f, const struct kt_insn *insn)
{
	const u8 *x = &f->s[kt_lo(insn)], *y = &f->s[kt_hi(insn)];
	u32 len = (u32)(insn->b | insn->c << 8), i;

	f->steps -= len / 8;
	for (i = 0; i < len && x[i] == y[i]; i++)
		if (!x[i])
			return true;
	return i == len;
}

static s64 compare(struct frame *f, const struct kt_insn *insn)
{
	const u8 *x = &f->s[kt_lo(insn)], *y = &f->s[kt_hi(insn)];
	u32 len = (u32)(insn->b | insn->c << 8), i;

	f->steps -= len / 8;
	for (i = 0; i < len; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static u32 length(const u8 *text, u32 room)
{
	u32 len = 0;

	while (len < room && text[len])
		len++;
	return len;
}

/* A text of no letters is at the begin. */
static u64 find_string(struct frame *f, const struct kt_insn *insn)
{
	const u8 *in = &f->s[kt_lo(insn)], *what = &f->s[kt_hi(insn)];
	u32 in_len = length(in, 8u * insn->b), len = length(what, 8u * insn->c), at, i;

	f->steps -= in_len / 8;
	for (at = 0; at + len <= in_len; at++) {
		for (i = 0; i < len && in[at + i] == what[i]; i++)
			;
		if (i == len)
			return at;
		f->steps -= i / 8;
	}
	return (u64)-1;
}

/* Is the letter in the class at pattern[at], and where does that end? */
static bool in_class(const u8 *pattern, u32 len, u32 *at, u8 letter)
{
	bool not = *at + 1 < len && pattern[*at + 1] == '!', found = false;
	u32 i = *at + 1 + not, first = i;

	for (; i < len && (pattern[i] != ']' || i == first); i++) {
		u8 from = pattern[i], to = from;

		if (i + 2 < len && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
			to = pattern[i + 2];
			i += 2;
		}
		found |= letter >= from && letter <= to;
	}
	*at = i;
	return found != not;
}

/* Whether one letter is what the pattern has at *at, which is its last character then. */
static bool one(const u8 *pattern, u32 len, u32 *at, u8 letter)
{
	if (pattern[*at] == '[')
		return in_class(pattern, len, at, letter);
	return pattern[*at] == '?' || pattern[*at] == letter;
}

/* From the last *, so it is never more than one product of both lengths. */
static bool match(struct frame *f, const struct kt_insn *insn)
{
	const u8 *text = &f->s[kt_lo(insn)], *pattern = &f->s[kt_hi(insn)];
	u32 text_len = length(text, 8u * insn->b), len = length(pattern, 8u * insn->c);
	u32 at = 0, i = 0, star = len, from = 0, end;

	while (i < text_len) {
		f->steps--;
		end = at;
		if (at < len && pattern[at] == '*') {
			star = at++;
			from = i;
		} else if (at < len && one(pattern, len, &end, text[i])) {
			at = end + 1;
			i++;
		} else if (star < len && f->steps > 0) {
			at = star + 1;
			i = ++from;
		} else {
			return false;
		}
	}
	while (at < len && pattern[at] == '*')
		at++;
	return at >= len;
}

/* ---- maps, stacks, events ----------------------------------------------------- */

static bool has(const struct frame *f, u32 map, const u8 *key)
{
	u32 shard;

	for (shard = 0; shard < f->vm->tables[map].shards; shard++)
		if (kt_map_find(f->vm, map, shard, key))
			return true;
	return false;
}

static bool delete(const struct frame *f, u32 map, const u8 *key)
{
	bool was = false;
	u32 shard;

	for (shard = 0; shard < f->vm->tables[map].shards; shard++)
		was |= kt_map_delete(f->vm, map, shard, key);
	return was;
}

static u64 add(const struct frame *f, u32 map, const u8 *key, u64 value)
{
	u64 *kept = (u64 *)kt_map_make(f->vm, map, 0, key);

	return kept ? kt_add(kept, value) : 0;
}

static void set(const struct frame *f, u32 map, const u8 *key, const void *value)
{
	u8 *kept = kt_map_make(f->vm, map, 0, key);

	if (kept)
		kt_words_copy(kept, value, f->vm->tables[map].value_len);
}

static void get_value(struct frame *f, u32 map, const u8 *key, void *value)
{
	const u8 *kept = kt_map_find(f->vm, map, 0, key);

	if (kept)
		kt_words_copy(value, kept, f->vm->tables[map].value_len);
	else
		kt_words_zero(value, f->vm->tables[map].value_len);
}

static void use_map(struct frame *f, const struct kt_insn *insn)
{
	const struct kt_table *table = &f->vm->tables[insn->b];
	const u8 *key = &f->s[kt_lo(insn)];
	u64 *a = &f->r[insn->a & (KT_REGS - 1)];

	f->steps -= (s64)table->shards * (COST_MAP + table->key_len / 8) +
		    table->value_len / 8;
	switch (insn->op) {
	case KT_MGET:
		*a = kt_map_get(f->vm, insn->b, key);
		break;
	case KT_MHAS:
		*a = has(f, insn->b, key);
		break;
	case KT_MGETV:
		get_value(f, insn->b, key, &f->s[kt_hi(insn)]);
		break;
	case KT_MSET:
		set(f, insn->b, key, a);
		break;
	case KT_MSETV:
		set(f, insn->b, key, &f->s[kt_hi(insn)]);
		break;
	case KT_MADD:
		*a = add(f, insn->b, key, *a);
		break;
	default:
		*a = delete(f, insn->b, key);
	}
}

/* Places that are looked at for one step: most are empty. */
#define PLACES 16

static u64 next_key(struct frame *f, const struct kt_insn *insn)
{
	u64 seen = 0, most = f->steps > 0 ? (u64)f->steps * PLACES : 0, place;

	place = kt_map_next(f->vm, insn->b, f->r[insn->a], &f->s[kt_lo(insn)], most, &seen);
	f->steps -= COST_MAP + (s64)(seen / PLACES);
	/* What was not looked at is not "none". */
	if (!place && seen >= most)
		f->steps = -1;
	return place;
}

/* Apart, for its memory is on the stack only while it is needed. */
static ASIDE u32 take_stack(const struct frame *f, const struct kt_insn *insn)
{
	u64 frames[KT_DEPTH_MAX];
	u32 nr = 0, room = (u32)insn->imm;

	if (f->hit->regs)
		nr = kt_host_stack(f->hit, frames, room, insn->c & KT_USER);
	return kt_stack_put(f->vm, frames, nr < room ? nr : room);
}

static struct kt_probe_state *state_of(const struct frame *f)
{
	struct kt_probe_state *states = (void *)(f->vm->arena + f->vm->layout.probes);

	return f->hit->probe < f->vm->program->probes_nr ?
	       &states[f->hit->probe] : NULL;
}

static void watch(const struct frame *f, u64 addr, u64 len)
{
	struct kt_probe_state *state = state_of(f);

	/* There is nothing at 0, and in no bytes. */
	if (addr && len && !kt_host_watch(addr, len) && state)
		__atomic_fetch_add(&state->unwatched, 1, __ATOMIC_RELAXED);
}

static void emit(struct frame *f, const struct kt_insn *insn)
{
	u32 cpu = kt_host_cpu();
	struct kt_record head = {
		.event = insn->a | (u32)insn->b << 8,
		.nsecs = kt_host_nsecs(),
		.pid = kt_host_pid(),
		.tid = kt_host_tid(),
		.probe = f->hit->probe,
		.cpu = cpu,
	};
	struct kt_probe_state *state;

	f->steps -= COST_HOST + kt_hi(insn) / 8;
	if (kt_ring_put(f->vm, cpu, &head, &f->s[kt_lo(insn)], kt_hi(insn)))
		return;
	state = state_of(f);
	if (state)
		kt_add(&state->lost, 1);
}

/* ---- all of them -------------------------------------------------------------- */

static void begin(struct frame *f, const struct kt_vm *vm, struct kt_hit *hit)
{
	f->vm = vm;
	f->hit = hit;
	f->steps = KT_STEPS_MAX;
	/* No memset(): a call takes longer than these few words. */
	kt_words_zero(f->r, 8 * vm->regs_nr);
	kt_words_zero(f->s, vm->program->scratch);
}

static ASIDE void cut(const struct frame *f)
{
	struct kt_probe_state *state = state_of(f);

	if (state)
		kt_add(&state->cut, 1);
}

/* What only registers and constants decide. */
static void compute(struct frame *f, const struct kt_insn *i)
{
	u64 *r = f->r;

	switch ((enum kt_op)i->op) {
	case KT_MOV:
		r[i->a] = r[i->b];
		break;
	case KT_MOVI:
		r[i->a] = (u64)(s64)i->imm;
		break;
	case KT_CONST:
		r[i->a] = *(const u64 *)(f->vm->data + i->imm);
		break;
	case KT_ADD:
		r[i->a] = r[i->b] + r[i->c];
		break;
	case KT_SUB:
		r[i->a] = r[i->b] - r[i->c];
		break;
	case KT_MUL:
		r[i->a] = r[i->b] * r[i->c];
		break;
	case KT_UDIV:
		r[i->a] = r[i->c] ? kt_udiv(r[i->b], r[i->c]) : 0;
		break;
	case KT_SDIV:
		r[i->a] = sdiv((s64)r[i->b], (s64)r[i->c]);
		break;
	case KT_UMOD:
		r[i->a] = r[i->c] ? r[i->b] - kt_udiv(r[i->b], r[i->c]) * r[i->c] : r[i->b];
		break;
	case KT_SMOD:
		r[i->a] = smod((s64)r[i->b], (s64)r[i->c]);
		break;
	case KT_AND:
		r[i->a] = r[i->b] & r[i->c];
		break;
	case KT_OR:
		r[i->a] = r[i->b] | r[i->c];
		break;
	case KT_XOR:
		r[i->a] = r[i->b] ^ r[i->c];
		break;
	case KT_SHL:
		r[i->a] = r[i->b] << (r[i->c] & 63);
		break;
	case KT_SHR:
		r[i->a] = r[i->b] >> (r[i->c] & 63);
		break;
	case KT_SAR:
		r[i->a] = (u64)((s64)r[i->b] >> (r[i->c] & 63));
		break;
	case KT_EQ:
		r[i->a] = r[i->b] == r[i->c];
		break;
	case KT_NE:
		r[i->a] = r[i->b] != r[i->c];
		break;
	case KT_ULT:
		r[i->a] = r[i->b] < r[i->c];
		break;
	case KT_ULE:
		r[i->a] = r[i->b] <= r[i->c];
		break;
	case KT_SLT:
		r[i->a] = (s64)r[i->b] < (s64)r[i->c];
		break;
	case KT_SLE:
		r[i->a] = (s64)r[i->b] <= (s64)r[i->c];
		break;
	case KT_ADDI:
		r[i->a] = r[i->b] + (u64)(s64)i->imm;
		break;
	case KT_ANDI:
		r[i->a] = r[i->b] & (u64)(s64)i->imm;
		break;
	case KT_SHLI:
		r[i->a] = r[i->b] << (i->imm & 63);
		break;
	case KT_SHRI:
		r[i->a] = r[i->b] >> (i->imm & 63);
		break;
	case KT_SARI:
		r[i->a] = (u64)((s64)r[i->b] >> (i->imm & 63));
		break;
	case KT_EXT:
		r[i->a] = kt_extend(r[i->b], i->c);
		break;
	default:
		break;
	}
}

/* Apart, for kt_run() is to keep little. */
static ASIDE void execute(struct frame *f, const struct kt_insn *i)
{
	u64 *r = f->r;

	switch ((enum kt_op)i->op) {
	case KT_REG:
		r[i->a] = f->hit->regs ? kt_host_reg(f->hit, (u32)i->imm) : 0;
		break;
	case KT_LOAD:
		r[i->a] = load(f, i);
		break;
	case KT_ZERO:
		__builtin_memset(&f->s[kt_lo(i)], 0, kt_hi(i));
		break;
	case KT_DATA:
		__builtin_memcpy(&f->s[kt_lo(i)],
				 f->vm->data + (i->a | i->b << 8 | i->c << 16),
				 kt_hi(i));
		break;
	case KT_COPY:
		__builtin_memcpy(&f->s[kt_lo(i)], &f->s[i->a | i->b << 8],
				 kt_hi(i));
		break;
	case KT_STR:
		read_string(f, i);
		break;
	case KT_BUF:
		read_buffer(f, i);
		break;
	case KT_READ:
		read_memory(f, i);
		break;
	case KT_COMM:
		kt_host_comm((char *)&f->s[i->imm]);
		break;
	case KT_SAME:
		r[i->a] = same_strings(f, i);
		break;
	case KT_STACK:
		f->steps -= COST_HOST * i->imm;
		r[i->a] = take_stack(f, i);
		break;
	case KT_EMIT:
		emit(f, i);
		break;
	case KT_OVERRIDE:
		if (f->hit->regs && !f->hit->returns) {
			f->hit->overridden = true;
			f->hit->value = r[i->a];
		}
		break;
	case KT_WATCH_ON:
		f->steps -= COST_HOST;
		watch(f, r[i->a], r[i->b]);
		break;
	case KT_WATCH_OFF:
		f->steps -= COST_HOST;
		kt_host_unwatch(r[i->a]);
		break;
	case KT_STRLEN:
		f->steps -= kt_hi(i) / 8;
		r[i->a] = length(&f->s[kt_lo(i)], kt_hi(i));
		break;
	case KT_INDEX:
		r[i->a] = find_string(f, i);
		break;
	case KT_MNEXT:
		r[i->a] = next_key(f, i);
		break;
	case KT_CMP:
		r[i->a] = (u64)compare(f, i);
		break;
	case KT_GLOB:
		r[i->a] = match(f, i);
		break;
	case KT_FRAMES:
		r[i->a] = kt_stack_depth(f->vm, (u32)r[i->b]);
		break;
	case KT_MGET:
	case KT_MHAS:
	case KT_MGETV:
	case KT_MSET:
	case KT_MSETV:
	case KT_MADD:
	case KT_MDEL:
		use_map(f, i);
		break;
	default:
		compute(f, i);
	}
}

/* The instruction before the target. */
static const struct kt_insn *jump(struct frame *f, const struct kt_insn *insn)
{
	if (insn->imm < 0)
		f->steps += insn->imm;
	return insn + insn->imm;
}

/*
 * What is in most programs is here, so that few comparisons find it where the
 * compiler may not jump by tables.
 */
void kt_run(const struct kt_vm *vm, u32 first, struct kt_hit *hit)
{
	const struct kt_insn *i = vm->insns + first;
	struct frame f;
	u64 *r = f.r;

	if (first >= vm->program->insns_nr)
		return;
	begin(&f, vm, hit);
	for (;; i++) {
		switch ((enum kt_op)i->op) {
		case KT_END:
			return;
		case KT_ARG:
			r[i->a] = hit->regs ? kt_host_arg(hit, (u32)i->imm) : 0;
			/* So keys and events begin; it is not the last. */
			if (i[1].op == KT_STS)
				store_scratch(&f, ++i);
			continue;
		case KT_GET:
			r[i->a] = i->imm == KT_GET_RANDOM ? get_random(&f, i) :
				  kt_get(vm, hit, (u32)i->imm);
			continue;
		case KT_STS:
			store_scratch(&f, i);
			continue;
		case KT_LDS:
			r[i->a] = load_scratch(&f, i);
			continue;
		case KT_EQI:
			r[i->a] = r[i->b] == (u64)(s64)i->imm;
			continue;
		case KT_NEI:
			r[i->a] = r[i->b] != (u64)(s64)i->imm;
			continue;
		case KT_JMP:
			i = jump(&f, i);
			break;
		case KT_JZ:
			if (r[i->a])
				break;
			i = jump(&f, i);
			break;
		case KT_JNZ:
			if (!r[i->a])
				break;
			i = jump(&f, i);
			break;
		case KT_MAGG:
			f.steps -= COST_MAP;
			kt_map_add(vm, i->b, kt_host_cpu(), &f.s[kt_lo(i)],
				   (s64)r[i->a]);
			break;
		default:
			execute(&f, i);
		}
		if (kt_unlikely(f.steps < 0)) {
			cut(&f);
			return;
		}
	}
}
