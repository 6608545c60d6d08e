/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What both of Arm's instruction sets bring to the comparison with oracles.
 */
#ifndef KP_TEST_ARM_HEAR_H
#define KP_TEST_ARM_HEAR_H

#include "isa.h"

/* A set says whether it is Thumb. */
extern const bool arm_thumb;

extern const struct isa_class arm_classes[];

/* What the engine copies, or refuses, is no danger where it is no instruction. */
bool arm_is_lax(uint8_t class);

void LLVMInitializeARMTargetInfo(void);
void LLVMInitializeARMTargetMC(void);
void LLVMInitializeARMDisassembler(void);

#define ARM_LLVM { LLVMInitializeARMTargetInfo, LLVMInitializeARMTargetMC, \
		   LLVMInitializeARMDisassembler }
#define ARM_FEATURES "+v8,+vfp4,+neon,+fp-armv8,+crypto,+crc,+hwdiv,+hwdiv-arm,+virtualization," \
		     "+trustzone,+mp,+dsp,+fullfp16,+dotprod,+ras,+db,+thumb2"

#endif
