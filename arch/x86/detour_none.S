/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_none.S - where heads lead in a build without detour.S.
 *
 * Owns: weak definitions that trap.  No head is made while optimization is
 * off, and a host without detour.S does not turn it on.
 */
	.text
	.weak	kp_arch_detour_entry, kp_arch_post_entry
	.hidden	kp_arch_detour_entry, kp_arch_post_entry
	.type	kp_arch_detour_entry, @function
	.type	kp_arch_post_entry, @function
kp_arch_detour_entry:
kp_arch_post_entry:
	ud2
	.size	kp_arch_detour_entry, . - kp_arch_detour_entry
	.size	kp_arch_post_entry, . - kp_arch_post_entry
	.section .note.GNU-stack, "", @progbits
