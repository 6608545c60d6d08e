/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regions.c - what tests/oracle/regions.c asks of riscv64.
 */
#include <elf.h>

#include "reserved.h"
#include "regions.h"

const char region_name[] = "rv64";
const uint16_t region_machine = EM_RISCV;

struct region_insn region_decode(uint32_t word)
{
	struct kp_rv_insn insn;

	kp_rv_decode(&insn, word);
	return (struct region_insn) {
		insn.len, insn.class == KP_RV_LOAD_RESERVED, insn.class == KP_RV_STORE_CONDITIONAL,
	};
}

bool region_is_reserved(uintptr_t start, size_t len, uintptr_t addr,
			int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	return kp_rv_is_reserved(start, len, addr, read);
}
