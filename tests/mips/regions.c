/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regions.c - what tests/oracle/regions.c asks of MIPS.
 */
#include <elf.h>

#include "linked.h"
#include "regs.h"
#include "regions.h"

const char region_name[] = "mips64";
const uint16_t region_machine = EM_MIPS;

struct region_insn region_decode(uint32_t word)
{
	struct kp_mips_insn insn;

	kp_mips_decode(&insn, word, KP_MIPS_HERE);
	return (struct region_insn) {
		4, insn.class == KP_MIPS_LOAD_LINKED, insn.class == KP_MIPS_STORE_CONDITIONAL,
	};
}

bool region_is_reserved(uintptr_t start, size_t len, uintptr_t addr,
			int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	return kp_mips_is_linked(start, len, addr, read);
}
