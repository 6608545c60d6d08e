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

#endif
