# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host's code is compiled with on x86-64.

# Without vector registers the compiler would use "rep movs", whose start alone
# takes as long as copying a struct pt_regs.
USER_MACHINE_FLAGS := -mgeneral-regs-only -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
# What 32-bit code has, too.
USER_SHARED := host/linux-user/shared/x86
