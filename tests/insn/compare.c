/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The comparison itself.  Each check_ function looks at one group of fields;
 * the first disagreement is reported by name.
 */
#include "compare.h"

#include <stdio.h>

void oracle_open(struct oracle *oracle, enum kp_insn_mode mode)
{
	bool is64 = mode == KP_INSN_64;

	oracle->mode = mode;
	oracle->knc = oracle->phantom = 0;
	ZydisDecoderInit(&oracle->decoder,
			 is64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
}

static int encoding_of(const ZydisDecodedInstruction *z)
{
	switch (z->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		return KP_INSN_LEGACY;
	case ZYDIS_INSTRUCTION_ENCODING_3DNOW:
		return KP_INSN_3DNOW;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		return KP_INSN_XOP;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		return z->raw.vex.size == 2 ? KP_INSN_VEX2 : KP_INSN_VEX3;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		return KP_INSN_EVEX;
	default:
		return -1;
	}
}

static int map_of(const ZydisDecodedInstruction *z)
{
	switch (z->opcode_map) {
	case ZYDIS_OPCODE_MAP_DEFAULT:
		return KP_INSN_MAP_1BYTE;
	case ZYDIS_OPCODE_MAP_0F:
	case ZYDIS_OPCODE_MAP_0F0F:
		return KP_INSN_MAP_0F;
	case ZYDIS_OPCODE_MAP_0F38:
		return KP_INSN_MAP_0F38;
	case ZYDIS_OPCODE_MAP_0F3A:
		return KP_INSN_MAP_0F3A;
	case ZYDIS_OPCODE_MAP_MAP5:
		return KP_INSN_MAP_5;
	case ZYDIS_OPCODE_MAP_MAP6:
		return KP_INSN_MAP_6;
	case ZYDIS_OPCODE_MAP_XOP8:
		return KP_INSN_MAP_XOP8;
	case ZYDIS_OPCODE_MAP_XOP9:
		return KP_INSN_MAP_XOP9;
	case ZYDIS_OPCODE_MAP_XOPA:
		return KP_INSN_MAP_XOPA;
	default:
		return -1;
	}
}

static const char *check_encoding(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	if (k->length != z->length)
		return "length";
	if (k->encoding != encoding_of(z))
		return "encoding";
	if (k->map != map_of(z))
		return "map";
	if (k->opcode != z->opcode)
		return "opcode";
	if ((k->flags & (KP_INSN_HAS_MEM | KP_INSN_IMPLICIT_MEM)) &&
	    k->address_size * 8 != z->address_width)
		return "address size";
	if (k->encoding == KP_INSN_LEGACY && !(k->flags & (KP_INSN_PRIVILEGED | KP_INSN_VECTOR)) &&
	    k->operand_size * 8 != z->operand_width)
		return "operand size";
	return NULL;
}

static uint64_t low_bytes(int64_t value, unsigned int size)
{
	return size >= 8 ? (uint64_t)value : (uint64_t)value & ((1ull << 8 * size) - 1);
}

static bool same_imm(const struct kp_insn_field *k, const struct ZydisDecodedInstructionRawImm_ *z)
{
	if (k->size * 8 != z->size)
		return false;
	return !k->size || (k->offset == z->offset &&
			    low_bytes(k->value, k->size) == low_bytes(z->value.s, k->size));
}

/* Zydis keeps moffs in disp and counts an EVEX disp8 unscaled there too. */
static const char *check_disp(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	bool moffs = !(k->flags & KP_INSN_HAS_MODRM) && z->raw.disp.size;
	const struct kp_insn_field *disp = moffs ? &k->imm : &k->disp;

	if (disp->size * 8 != z->raw.disp.size)
		return "disp size";
	if (disp->size && (disp->offset != z->raw.disp.offset))
		return "disp offset";
	if (disp->size && low_bytes(disp->value, disp->size) != low_bytes(z->raw.disp.value, disp->size))
		return "disp value";
	if (!moffs && !same_imm(&k->imm, &z->raw.imm[0]))
		return "immediate";
	if (!same_imm(&k->imm2, &z->raw.imm[1]))
		return "second immediate";
	return NULL;
}

static const char *check_modrm(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	bool modrm = z->attributes & ZYDIS_ATTRIB_HAS_MODRM;
	bool sib = z->attributes & ZYDIS_ATTRIB_HAS_SIB;

	if (modrm != !!(k->flags & KP_INSN_HAS_MODRM))
		return "modrm";
	if (modrm && (k->modrm_offset != z->raw.modrm.offset ||
		      k->modrm != (z->raw.modrm.mod << 6 | z->raw.modrm.reg << 3 | z->raw.modrm.rm)))
		return "modrm value";
	if (sib != !!(k->flags & KP_INSN_HAS_SIB))
		return "sib";
	if (sib && (k->sib_offset != z->raw.sib.offset || k->sib >> 6 != z->raw.sib.scale ||
		    (k->sib >> 3 & 7) != z->raw.sib.index || (k->sib & 7) != z->raw.sib.base))
		return "sib value";
	return NULL;
}

static bool is_vector_class(ZydisRegisterClass class)
{
	switch (class) {
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
	case ZYDIS_REGCLASS_TMM:
	case ZYDIS_REGCLASS_MASK:
	case ZYDIS_REGCLASS_BOUND:
		return true;
	default:
		return false;
	}
}

struct operands {
	bool explicit_mem, rip, vector, implicit_mem, stack;
	uint16_t gprs;
};

static uint16_t gpr_bit_of(ZydisRegister reg)
{
	static const ZydisRegister high[4] = { ZYDIS_REGISTER_AH, ZYDIS_REGISTER_CH,
					       ZYDIS_REGISTER_DH, ZYDIS_REGISTER_BH };
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);
	int i;

	for (i = 0; i < 4; i++)
		if (reg == high[i])
			return (uint16_t)(1u << i);
	if (class == ZYDIS_REGCLASS_GPR8)	/* al..bl ah..bh spl..dil r8b..: four too many */
		return (uint16_t)(1u << (reg < ZYDIS_REGISTER_SPL ? reg - ZYDIS_REGISTER_AL
							: reg - ZYDIS_REGISTER_SPL + 4));
	if (class == ZYDIS_REGCLASS_GPR16 || class == ZYDIS_REGCLASS_GPR32 ||
	    class == ZYDIS_REGCLASS_GPR64)
		return (uint16_t)(1u << ZydisRegisterGetId(reg));
	return 0;
}

static void look_at_memory(struct operands *o, const ZydisDecodedOperand *op)
{
	o->gprs |= gpr_bit_of(op->mem.base) | gpr_bit_of(op->mem.index);
	if (op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		o->implicit_mem = true;
	else if (op->encoding != ZYDIS_OPERAND_ENCODING_NONE)
		o->explicit_mem = true;
	if (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP)
		o->rip = true;
}

static void look_at_operands(struct operands *o, const ZydisDecodedInstruction *z,
			     const ZydisDecodedOperand *ops)
{
	int i;

	for (i = 0; i < z->operand_count; i++) {
		if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			look_at_memory(o, &ops[i]);
		if (ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		o->gprs |= gpr_bit_of(ops[i].reg.value);
		if (is_vector_class(ZydisRegisterGetClass(ops[i].reg.value)))
			o->vector = true;
		if (gpr_bit_of(ops[i].reg.value) == 1u << 4 &&
		    ops[i].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			o->stack = true;
	}
}

/* Mod 0 with SIB base 101 has no base; with 67 or EVEX Zydis 4.0 names one all the same. */
static uint16_t phantom_base(const struct kp_insn *k)
{
	bool none = (k->flags & KP_INSN_HAS_SIB) && k->modrm < 0x40 && (k->sib & 7) == 5;

	return none ? (uint16_t)(1u << (5 | k->b << 3)) : 0;
}

/* State that Zydis does not list as operands: x87, xsave, mxcsr, emms, tiles' shape, keylocker. */
static bool may_claim_vector(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_X87_ALU:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
	case ZYDIS_CATEGORY_MMX:
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_AMX_TILE:
	case ZYDIS_CATEGORY_CONVERT:	/* cvttsd2si from memory: mxcsr */
	case ZYDIS_CATEGORY_KEYLOCKER:
	case ZYDIS_CATEGORY_KEYLOCKER_WIDE:
		return true;
	default:
		return k->encoding != KP_INSN_LEGACY;
	}
}

static const char *check_operands(struct oracle *oracle, const struct kp_insn *k,
				  const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops)
{
	struct operands o = { 0 };

	look_at_operands(&o, z, ops);
	if (o.explicit_mem != !!(k->flags & KP_INSN_HAS_MEM))
		return "memory operand";
	if (o.rip != !!(k->flags & KP_INSN_RIP_REL))
		return "rip-relative";
	if (o.vector && !(k->flags & KP_INSN_VECTOR))
		return "vector state";
	if (!o.vector && (k->flags & KP_INSN_VECTOR) && !may_claim_vector(k, z))
		return "vector state claimed";
	if (o.implicit_mem && !(k->flags & (KP_INSN_IMPLICIT_MEM | KP_INSN_MAY_FAULT)))
		return "implicit memory";
	if (o.stack && !(k->flags & KP_INSN_WRITES_SP) && k->flow == KP_INSN_FLOW_NONE)
		return "stack pointer";
	if (o.gprs & ~k->gprs & ~phantom_base(k))
		return "general registers";
	oracle->phantom += (o.gprs & ~k->gprs) != 0;
	return NULL;
}

static bool is_flow(const struct kp_insn *k, ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		return k->flow == KP_INSN_FLOW_CALL_REL || k->flow == KP_INSN_FLOW_CALL_IND ||
		       k->flow == KP_INSN_FLOW_FAR_CALL;
	case ZYDIS_MNEMONIC_JMP:
		return k->flow == KP_INSN_FLOW_JMP_REL || k->flow == KP_INSN_FLOW_JMP_IND ||
		       k->flow == KP_INSN_FLOW_FAR_JMP;
	case ZYDIS_MNEMONIC_RET:
		return k->flow == KP_INSN_FLOW_RET || k->flow == KP_INSN_FLOW_FAR_RET;
	default:
		return true;
	}
}

static bool agrees_on_category(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	uint8_t f = k->flow;

	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return f == KP_INSN_FLOW_JCC_REL || f == KP_INSN_FLOW_LOOP || f == KP_INSN_FLOW_XBEGIN ||
		       z->mnemonic == ZYDIS_MNEMONIC_XEND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return f == KP_INSN_FLOW_JMP_REL || f == KP_INSN_FLOW_JMP_IND ||
		       f == KP_INSN_FLOW_FAR_JMP || k->opcode == 0xC6;	/* xabort */
	case ZYDIS_CATEGORY_CALL:
		return f == KP_INSN_FLOW_CALL_REL || f == KP_INSN_FLOW_CALL_IND ||
		       f == KP_INSN_FLOW_FAR_CALL;
	case ZYDIS_CATEGORY_RET:
		return f == KP_INSN_FLOW_RET || f == KP_INSN_FLOW_FAR_RET || f == KP_INSN_FLOW_IRET;
	default:
		return f == KP_INSN_FLOW_NONE || f >= KP_INSN_FLOW_IRET;
	}
}

static const char *check_flow(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	bool relative = z->raw.imm[0].is_relative;

	if (!is_flow(k, z->mnemonic) || !agrees_on_category(k, z))
		return "control flow";
	if (relative != kp_insn_is_rel_branch(k))
		return "relative branch";
	if (relative && z->raw.imm[0].value.s + z->length != kp_insn_rel_target(k))
		return "branch target";
	return NULL;
}

static const char *check_prefixes(const struct kp_insn *k, const ZydisDecodedInstruction *z)
{
	bool lock = z->attributes & ZYDIS_ATTRIB_HAS_LOCK;
	bool rep = z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
				    ZYDIS_ATTRIB_HAS_REPNE);

	if (lock != !!(k->prefixes & KP_INSN_PFX_LOCK))
		return "lock";
	if (rep && !(k->flags & KP_INSN_REP) && !(k->flags & KP_INSN_STRING))
		return "rep";
	return NULL;
}

static const char *check_all(struct oracle *oracle, const struct kp_insn *k,
			     const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops)
{
	const char *field = check_encoding(k, z);

	if (!field)
		field = check_modrm(k, z);
	if (!field)
		field = check_disp(k, z);
	if (!field)
		field = check_operands(oracle, k, z, ops);
	if (!field)
		field = check_flow(k, z);
	if (!field)
		field = check_prefixes(k, z);
	return field;
}

/*
 * Knights Corner: Zydis decodes MVEX (62 with a clear bit after vvvv) and some
 * VEX mask instructions of that coprocessor even with its KNC mode off.  No
 * other processor has them, so the decoder refuses.
 */
static bool is_knc(const ZydisDecodedInstruction *z)
{
	return z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX ||
	       z->meta.isa_ext == ZYDIS_ISA_EXT_KNC || z->meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
	       z->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

const char *compare_at(struct oracle *oracle, const uint8_t *bytes, size_t avail, size_t *len)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	struct kp_insn k;
	bool valid = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&oracle->decoder, bytes, avail, &z, ops));
	int err = kp_insn_decode(&k, bytes, avail, oracle->mode);

	*len = valid ? z.length : 0;
	if (valid && err == -EILSEQ && is_knc(&z)) {
		oracle->knc++;
		return NULL;
	}
	if (valid != !err)
		return "validity";
	return valid ? check_all(oracle, &k, &z, ops) : NULL;
}

static void explain_ours(const struct oracle *oracle, const uint8_t *bytes, size_t avail)
{
	struct kp_insn k;
	int err = kp_insn_decode(&k, bytes, avail, oracle->mode);

	if (err)
		printf(" ours: error %d;", err);
	else
		printf(" ours: len %u enc %u map %u op %02x os %u as %u imm %u@%u flow %u flags %x gprs %x;",
		       k.length, k.encoding, k.map, k.opcode, k.operand_size, k.address_size,
		       k.imm.size, k.imm.offset, k.flow, k.flags, k.gprs);
}

void compare_explain(const struct oracle *oracle, const uint8_t *bytes, size_t avail,
		     const char *field)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	struct operands o = { 0 };
	ZyanStatus status = ZydisDecoderDecodeFull(&oracle->decoder, bytes, avail, &z, ops);
	size_t i, n = ZYAN_SUCCESS(status) ? z.length : avail < 15 ? avail : 15;

	printf("# %s mode %d:", field, oracle->mode == KP_INSN_64 ? 64 : 32);
	for (i = 0; i < n; i++)
		printf(" %02x", bytes[i]);
	explain_ours(oracle, bytes, avail);
	if (!ZYAN_SUCCESS(status)) {
		printf(" zydis: refuses %x\n", ZYAN_STATUS_CODE(status));
		return;
	}
	look_at_operands(&o, &z, ops);
	printf(" zydis: %s len %u enc %d map %d op %02x os %u as %u mem %d gprs %x\n",
	       ZydisMnemonicGetString(z.mnemonic), z.length, z.encoding, z.opcode_map, z.opcode,
	       z.operand_width, z.address_width, o.explicit_mem, o.gprs);
}
