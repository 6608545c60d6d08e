// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hidden.c - what is not exported to modules.
 *
 * Owns: struct kp_hidden, the only place where such functions and data come from, and a
 * jump to each function; symbols.c fills them.
 *
 * Such functions are called, and jumped to, by their address in the instruction, never
 * through a pointer.  Where the kernel calls none of them through pointers it has taken
 * away what that needs: the landing pad (since 5.18, on processors that want one) and
 * the hash of the type (kCFI, since 6.8).
 *
 * No locks: all of it is written before the engine starts.
 */
#include "local.h"

struct kp_hidden kp_hidden;

/*
 * Each becomes a jump when the kernel's function is known; nobody calls it before.
 */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".irp name, "
    "lookup_name, lookup_size_offset, module_alloc, "
    "vmalloc_range, module_memfree, set_memory_ro, "
    "set_memory_rw, set_memory_x, set_memory_nx, "
    "module_address, search_extables, find_bug, "
    "ftrace_location_range, free_filter, rcu_enter, rcu_exit, "
    "get_kprobe, within_kprobe_blacklist, fixup_exception, "
    "show_value, copy_to_nofault, create_counter, "
    "release_counter, unpoison_stack, jump_label_in, "
    "jump_label_lock, jump_label_unlock, static_call_in, "
    "is_cfi_trap"
    KP_MACHINE_JUMPS "\n"
    ".balign 8\n"
    ".globl kp_kernel_\\name\n"
    ".type kp_kernel_\\name, %function\n"
    "kp_kernel_\\name:\n"
    KP_ASM_NO_TARGET
    KP_ASM_JUMP_PLACE
    ".size kp_kernel_\\name, . - kp_kernel_\\name\n"
    ".endr\n"
    ".popsection\n");

bool kp_text_is_core(uintptr_t addr)
{
	return addr >= kp_hidden.text_start && addr < kp_hidden.text_end;
}
