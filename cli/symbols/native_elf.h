/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * native_elf.h - ELF's structures, as the command itself is made of.
 *
 * Owns: that the programs and objects it deals with are of its own class: ElfW() names
 * their structures, and a word of theirs is one of its own.
 */
#ifndef KP_CLI_NATIVE_ELF_H
#define KP_CLI_NATIVE_ELF_H

#include <elf.h>
#include <link.h>

#define NATIVE_WORD sizeof(ElfW(Addr))
#define NATIVE_CLASS (__ELF_NATIVE_CLASS == 64 ? ELFCLASS64 : ELFCLASS32)

#if __ELF_NATIVE_CLASS == 64
#define NATIVE_R_TYPE(info) ELF64_R_TYPE(info)
#define NATIVE_R_SYM(info) ELF64_R_SYM(info)
#else
#define NATIVE_R_TYPE(info) ELF32_R_TYPE(info)
#define NATIVE_R_SYM(info) ELF32_R_SYM(info)
#endif
/* May a relocation that adds the base add a symbol's value in its place? */
#define OBJECT_RELATIVE_NAMES 0
/* By whose rules elfutils reads its unwind entries, where it knows none for it; 0: its own. */
#define OBJECT_CFI_OF 0
/* Does the linker leave the dynamic section as it is? */
#define OBJECT_DYNAMIC_STAYS 0
/* The same as gelf.h has it. */
#define NATIVE_GELF_R_TYPE(info) GELF_R_TYPE(info)
#define NATIVE_GELF_R_SYM(info) GELF_R_SYM(info)

#endif
