/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What regions.c asks of a processor.
 */
#ifndef KP_TEST_ORACLE_REGIONS_H
#define KP_TEST_ORACLE_REGIONS_H

#include "env.h"

struct region_insn {
	unsigned int len;		/* 0: nobody knows */
	bool load, store;		/* reserves; wants that */
};

extern const char region_name[];	/* in the lines that are printed */
extern const uint16_t region_machine;	/* of ELF files */
struct region_insn region_decode(uint32_t word);

/* Is a probe at @addr in the function [@start, @start + @len) refused? */
bool region_is_reserved(uintptr_t start, size_t len, uintptr_t addr,
			int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

#endif
