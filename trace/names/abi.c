// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abi.c - where a C function finds its parameters at its entry.
 *
 * Owns: the order of registers and of stack slots.  Floating-point values are in vector
 * registers, which no probe reads.  Structures of up to 16 bytes are in registers and have no
 * address, so they cannot be accessed as structures.
 *
 * Invariant: what depends on facts that are not known here (compiler options, the compiler,
 * alignments that leave no trace) is refused, and so is everything whose place depends on that:
 * either everything behind it, or what is on the stack.
 */
#include "own.h"

#include <string.h>

#define STACK_MAX (1u << 30)
#define DEPTH_MAX 8
#define EIGHT 8u			/* x86-64's rules are by eight bytes */
#define VECTORS 8u			/* registers for fractions: of x86-64, arm64, riscv64 */
#define FEW 4u				/* parts of arm's structures of fractions alone */

int names_reg_of_dwarf(unsigned int number)
{
	static const uint8_t regs[] = KT_DWARF_REGS;

	return number < sizeof(regs) ? regs[number] : -1;
}

static bool is_fraction(const struct ctype *type)
{
	return type->kind == CTYPE_VOID && type->size;
}

static bool is_vector(const struct ctype *type)
{
	return type->kind == CTYPE_ARRAY && type->vector;
}

static bool is_composite(const struct ctype *type)
{
	return type->kind == CTYPE_STRUCT || (type->kind == CTYPE_ARRAY && !type->vector);
}

/* ---- what a value consists of ----------------------------------------------------------- */

struct shape {
	unsigned int parts;		/* numbers, one by one */
	bool integers[2], fractions[2];	/* in each of the first 8 bytes */
	bool any_integer, mixed;	/* mixed: fractions of several sizes */
	uint64_t fraction;		/* of how many bytes */
	uint64_t align;			/* the largest of the parts' own */
	bool unaligned;			/* a part lies where it would not by itself */
	bool x87;			/* x86's long double, which is in memory */
	unsigned int vectors;		/* of the parts */
	bool wide_vector;		/* whose place depends on how it was compiled */
	bool aligned;			/* an alignment of the source's own */
	bool unknown;
};

static uint64_t align_of(uint64_t size)
{
	if (KT_ARGS_ON_STACK)
		return KT_WORD;
	return size == 1 || size == 2 || size == 4 || size == 8 || size == 16 ? size : EIGHT;
}

static void add_part(struct shape *s, uint64_t at, uint64_t size, bool is_integer)
{
	uint64_t half, align = align_of(size);

	s->parts++;
	s->unaligned |= at % align != 0;
	if (align > s->align)
		s->align = align;
	for (half = 0; half < 2; half++)
		if (at < half * EIGHT + EIGHT && at + size > half * EIGHT)
			*(is_integer ? &s->integers[half] : &s->fractions[half]) = true;
	s->any_integer |= is_integer;
	if (is_integer)
		return;
	s->mixed |= s->fraction && s->fraction != size;
	s->fraction = size;
}

static void add_fraction(struct shape *s, const struct ctype *type, uint64_t at)
{
	uint64_t size = type->complex ? type->size / 2 : type->size;
	bool is_x87 = KT_X87 && size == 16 && (strstr(type->name, "long double") ||
					       strstr(type->name, "_Float64x"));

	s->x87 |= is_x87;
	/* Of the names that compilers give to one of 16 bytes. */
	s->unknown |= KT_X87 && size == 16 && !is_x87 && !strstr(type->name, "128");
	add_part(s, at, size, false);
	if (type->complex)
		add_part(s, at + size, size, false);
}

static void walk(struct shape *s, const struct ctype *type, uint64_t at, unsigned int depth);

static void walk_fields(struct shape *s, const struct ctype *type, uint64_t at,
			unsigned int depth)
{
	uint32_t i;

	s->unknown |= type->incomplete;
	s->aligned |= type->aligned;
	for (i = 0; i < type->fields_nr; i++) {
		const struct cfield *field = &type->fields[i];
		uint64_t byte = at + field->offset + field->bit / 8;

		if (!field->bits) {
			walk(s, field->type, at + field->offset, depth - 1);
			continue;
		}
		/* It has no alignment; the bytes that it touches. */
		add_part(s, byte, 1, true);
		add_part(s, at + field->offset + (field->bit + field->bits - 1) / 8, 1, true);
	}
}

/* Of an array the first elements say what the others would. */
static void walk(struct shape *s, const struct ctype *type, uint64_t at, unsigned int depth)
{
	uint64_t i;

	if (!depth) {
		s->unknown = true;
	} else if (is_vector(type)) {
		s->vectors++;
		s->wide_vector |= type->size != 8 && type->size != 16;
		/* One of a single number is passed like that by some. */
		s->unknown |= type->nr < 2;
		add_part(s, at, type->size, false);
	} else if (type->kind == CTYPE_ARRAY) {
		for (i = 0; i < type->nr && i < 16; i++)
			walk(s, type->to, at + i * type->to->size, depth - 1);
	} else if (type->kind == CTYPE_STRUCT) {
		walk_fields(s, type, at, depth);
	} else if (is_fraction(type)) {
		add_fraction(s, type, at);
	} else if (type->size && type->kind != CTYPE_FUNCTION) {
		add_part(s, at, type->size, true);
	} else {
		s->unknown = true;
	}
}

static struct shape shape_of(const struct abi *abi, const struct ctype *type)
{
	struct shape s = { .aligned = abi->aligned };

	walk(&s, type, 0, DEPTH_MAX);
	s.mixed |= s.vectors && s.vectors != s.parts;
	/* Compilers differ in whether it is passed at all. */
	s.unknown |= !s.parts && type->size && !KT_EIGHTBYTES;
	return s;
}

/* ---- places ------------------------------------------------------------------------------- */

static void lose(struct abi *abi, struct trace_arg *arg)
{
	abi->lost = true;
	names_refuse(arg, "where it is depends on how this was compiled: use reg(), or probe a line later");
}

/* align: as all compilers have it there. */
static void on_stack(struct abi *abi, struct trace_arg *arg, uint64_t align)
{
	abi->stack += -abi->stack & (align - 1);
	if (abi->stack > STACK_MAX) {
		names_refuse(arg, "it is too far up the stack");
		return;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = REG_SP;
	arg->offset = (int64_t)(KT_ARG_STACK + abi->stack);
	arg->deref = true;
	abi->stack += (arg->type->size < STACK_MAX ? arg->type->size + KT_WORD - 1 :
		       2 * STACK_MAX) & ~(KT_WORD - 1ull);
	if (abi->stack_lost)
		names_refuse(arg, "where it is on the stack depends on how this was compiled: use reg(), or probe a line later");
}

/*
 * One whose alignment may be that of 16 bytes, or not: that of packed structures leaves no
 * trace.  Where both are the same there is no question.
 */
static void on_stack_aligned(struct abi *abi, struct trace_arg *arg, const struct shape *s)
{
	bool is_sure = is_fraction(arg->type) || is_vector(arg->type);

	if (s->aligned || (s->align == 16 && abi->stack % 16 && !is_sure))
		abi->stack_lost = true;
	on_stack(abi, arg, s->align == 16 && is_sure ? 16 : KT_WORD);
}

enum names_reg names_abi_reg(unsigned int number)
{
	static const uint8_t regs[KT_ARG_REGS_NR] = KT_ARG_REGS;

	return regs[number % KT_ARG_REGS_NR];
}

/* What a probe cannot have there; not asked of a number in one register. */
static void refuse_in_registers(struct trace_arg *arg, unsigned int regs)
{
	if (is_composite(arg->type))
		names_refuse(arg, "a structure that is passed in registers has no address: use arg0, arg1 ... or reg()");
	else if (is_vector(arg->type))
		names_refuse(arg, "it is in a vector register, which probes do not read");
	else if (is_fraction(arg->type))
		names_refuse(arg, "a floating-point number is in a vector register, which probes do not read");
	else if (regs > 1)
		names_refuse(arg, "it is in several registers: use arg0, arg1 ... or reg()");
}

/* ---- x86-64 ------------------------------------------------------------------------------- */

/* So it is if a part is not at a multiple of its size, as in what is packed. */
static bool in_memory(const struct ctype *type, const struct shape *s)
{
	return type->size > 16 || s->x87 || s->unaligned;
}

/* Each half goes where its parts say; if one of them has no room, all is on the stack. */
static void by_eightbytes(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	struct shape s = shape_of(abi, type);
	unsigned int regs = s.integers[0] + s.integers[1], vectors;
	bool halves = type->complex || !s.fraction || s.fraction < 16;

	/* The second half of a number of 16 bytes lies in the same register. */
	vectors = (s.fractions[0] && !s.integers[0]) +
		  (s.fractions[1] && !s.integers[1] && (halves || s.integers[0]));
	if (s.unknown) {
		lose(abi, arg);
	} else if (s.wide_vector) {
		/* In a vector register, in memory, or in a part of either. */
		abi->stack_lost = true;
		abi->fractions += abi->fractions < VECTORS;
		names_refuse(arg, "where a vector of this size is depends on how this was compiled");
	} else if (in_memory(type, &s)) {
		on_stack_aligned(abi, arg, &s);
	} else if (s.mixed && s.fraction == 16) {
		lose(abi, arg);
	} else if (abi->regs + regs <= KT_ARG_REGS_NR && abi->fractions + vectors <= VECTORS) {
		abi->regs += regs;
		abi->fractions += vectors;
		refuse_in_registers(arg, regs);
		if (regs != 1 || is_composite(type))
			return;
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs - 1;
	} else if (type->kind == CTYPE_INT && type->size == 16 && abi->regs < KT_ARG_REGS_NR) {
		/* Older compilers put half of it there. */
		lose(abi, arg);
	} else {
		on_stack_aligned(abi, arg, &s);
	}
}

/* ---- others --------------------------------------------------------------------------------- */

/*
 * riscv64, up to two words.  How many parts it has decides where fractions go, and a half may
 * be on the stack.
 */
static void small_struct(struct abi *abi, struct trace_arg *arg, const struct shape *s)
{
	unsigned int words = (unsigned int)((arg->type->size + 7) / 8);
	unsigned int regs = s->integers[0] + s->integers[1];

	if (regs < words || abi->regs + regs == KT_ARG_REGS_NR + 1) {
		lose(abi, arg);
		return;
	}
	if (abi->regs + regs > KT_ARG_REGS_NR) {
		on_stack_aligned(abi, arg, s);
		return;
	}
	abi->regs += regs;
	refuse_in_registers(arg, regs);
}

/* The caller passes where it is. */
static void by_address(struct abi *abi, struct trace_arg *arg)
{
	if (abi->regs == KT_ARG_REGS_NR) {
		names_refuse(arg, "the address of a structure is on the stack: use reg()");
		abi->stack += 8;
		return;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = names_abi_reg(abi->regs++);
	arg->offset = 0;
	arg->deref = true;
}

/* Of up to four fractions of one size, and nothing else. */
static bool of_fractions(const struct ctype *type, const struct shape *s)
{
	return s->parts && !s->any_integer && !s->mixed && s->parts <= FEW &&
	       s->parts * s->fraction == type->size;
}

/* The same, but for parts that lie upon one another, or with room between them. */
static bool may_be_of_fractions(const struct ctype *type, const struct shape *s)
{
	return s->parts && !s->any_integer && !s->mixed && s->fraction &&
	       !(s->parts * s->fraction == type->size && s->parts > FEW);
}

/*
 * arm's 16 words of vector registers.  What has no room any more is on the stack, and so is all
 * that comes then; what fits into gaps is not followed.
 */
static void in_few_vectors(struct abi *abi, struct trace_arg *arg, const struct shape *s)
{
	uint64_t align = s->align / KT_WORD;

	abi->fractions += align ? -abi->fractions & (unsigned int)(align - 1) : 0;
	abi->fractions += (unsigned int)(arg->type->size / KT_WORD);
	abi->stack_lost |= abi->fractions > 2 * VECTORS;
	refuse_in_registers(arg, 0);
}

/* KT_ARGS_IN_PAIRS: what begins in a register goes on on the stack. */
static void in_words(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	const struct shape s = shape_of(abi, type);
	const bool wide = s.align == 2 * KT_WORD && !s.unaligned;

	/* A packed structure may have the alignment of its parts, or none. */
	if (s.unknown || s.aligned || (KT_FRACTIONS_IN_PLACE && s.vectors) ||
	    (s.unaligned && s.align == 2 * KT_WORD)) {
		lose(abi, arg);
		return;
	}
	if (!KT_FRACTIONS_IN_PLACE &&
	    (is_fraction(type) || is_vector(type) || of_fractions(type, &s))) {
		in_few_vectors(abi, arg, &s);
		return;
	}
	if (s.vectors || (!KT_FRACTIONS_IN_PLACE && may_be_of_fractions(type, &s)) ||
	    (abi->stack_lost && abi->regs + type->size / KT_WORD > KT_ARG_REGS_NR)) {
		lose(abi, arg);
		return;
	}
	if (wide && abi->regs < KT_ARG_REGS_NR)
		abi->regs += abi->regs & 1;
	if (abi->regs >= KT_ARG_REGS_NR) {
		abi->stack += wide ? -abi->stack & (2 * KT_WORD - 1) : 0;
		on_stack(abi, arg, KT_WORD);
		return;
	}
	if (type->size <= KT_WORD && type->kind != CTYPE_STRUCT && type->kind != CTYPE_ARRAY &&
	    !is_fraction(type)) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs++;
		return;
	}
	refuse_in_registers(arg, 2);
	if (type->size > STACK_MAX) {
		abi->lost = true;
		return;
	}
	abi->regs += (unsigned int)((type->size + KT_WORD - 1) / KT_WORD);
	if (abi->regs > KT_ARG_REGS_NR) {
		abi->stack += (uint64_t)KT_WORD * (abi->regs - KT_ARG_REGS_NR);
		abi->regs = KT_ARG_REGS_NR;
	}
}

/* arm64: all of a value is in one kind of registers, or on the stack. */
static void all_or_nothing(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	struct shape s = shape_of(abi, type);
	bool in_vectors = is_fraction(type) || is_vector(type) || of_fractions(type, &s);
	unsigned int regs = (unsigned int)((type->size + 7) / 8);
	uint64_t align = s.align == 16 ? 16 : KT_WORD;

	if (s.unknown || s.wide_vector || s.aligned || (s.unaligned && s.align == 16) ||
	    (!in_vectors && may_be_of_fractions(type, &s))) {
		lose(abi, arg);
	} else if (in_vectors && abi->fractions + s.parts <= VECTORS) {
		abi->fractions += s.parts;
		refuse_in_registers(arg, 0);
	} else if (in_vectors) {
		abi->fractions = VECTORS;
		on_stack(abi, arg, align);
	} else if (type->size > 16) {
		by_address(abi, arg);
	} else {
		/* Of 16 bytes' alignment: from an even one on. */
		abi->regs += align == 16 ? abi->regs & 1 : 0;
		if (abi->regs + regs > KT_ARG_REGS_NR) {
			abi->regs = KT_ARG_REGS_NR;
			on_stack(abi, arg, align);
			return;
		}
		abi->regs += regs;
		refuse_in_registers(arg, regs);
		if (regs != 1 || is_composite(type))
			return;
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs - 1;
	}
}

/* i386: one behind the other, but vectors, and what is aligned as they are. */
static void all_on_stack(struct abi *abi, struct trace_arg *arg)
{
	struct shape s = shape_of(abi, arg->type);

	if (s.vectors || s.unknown || s.aligned || s.fraction == 16)
		lose(abi, arg);
	else
		on_stack(abi, arg, KT_WORD);
}

void names_abi_returns(struct abi *abi, const struct ctype *type,
		       bool by_reference)
{
	struct shape s = shape_of(abi, type);
	bool is_large = by_reference || (type->kind == CTYPE_STRUCT && type->size > KT_RETURNED_MOST);

	if (type->kind == CTYPE_VOID && !type->size)
		return;
	if (KT_ARGS_ON_STACK) {
		/* Of vectors and of complex numbers compilers differ. */
		abi->lost |= !by_reference && (s.vectors || (is_fraction(type) && type->size > 12));
		if (by_reference || type->kind == CTYPE_STRUCT)
			abi->stack += KT_WORD;
		return;
	}
	if (KT_EIGHTBYTES && !by_reference) {
		abi->lost |= s.wide_vector || s.unknown;
		/* One that is nothing but a long double is on the stack of such. */
		is_large = is_composite(type) &&
			   (type->size > 16 || s.unaligned || (s.x87 && s.parts > 1));
		if (s.x87 && s.parts == 2 && type->size == 32)
			abi->lost |= is_composite(type);
	}
	if (KT_IN_SHAPE && !by_reference && is_large) {
		/* Up to four fractions come back in vector registers. */
		abi->lost |= s.wide_vector || s.unknown;
		is_large = !of_fractions(type, &s);
	}
	if (KT_RETURNED_BY_ARG && is_large)
		abi->regs++;
}

void names_abi_next(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	struct shape s;

	/* A kernel is compiled otherwise, and some of its functions are not. */
	if (KT_ARGS_ON_STACK && abi->kernel) {
		names_refuse(arg, "a kernel of this processor has most functions' first parameters in registers: use arg0, arg1 ... or reg()");
		return;
	}
	if (abi->lost) {
		names_refuse(arg, "where it is depends on what is before it, whose place is not known: use reg(), or probe a line later");
		return;
	}
	if (KT_ARGS_ON_STACK) {
		all_on_stack(abi, arg);
		return;
	}
	if (KT_ARGS_IN_PAIRS) {
		in_words(abi, arg);
		return;
	}
	if (KT_EIGHTBYTES) {
		by_eightbytes(abi, arg);
		return;
	}
	if (!KT_HALVES_APART) {
		all_or_nothing(abi, arg);
		return;
	}
	/* riscv64 */
	s = shape_of(abi, type);
	if (s.unknown || s.vectors || s.aligned) {
		lose(abi, arg);
		return;
	}
	if (is_fraction(type))
		abi->lost |= type->size > 8 || ++abi->fractions > KT_ARG_REGS_NR;
	if (abi->lost) {
		names_refuse(arg, "where it is depends on fractions before it: use reg()");
		return;
	}
	if (is_fraction(type)) {
		refuse_in_registers(arg, 0);
	} else if (type->size > 16) {
		by_address(abi, arg);
	} else if (type->size > 8 || is_composite(type)) {
		small_struct(abi, arg, &s);
	} else if (abi->regs < KT_ARG_REGS_NR) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs++;
	} else {
		on_stack(abi, arg, KT_WORD);
	}
}
