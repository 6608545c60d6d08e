# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/toy is made of: a processor that does not exist, for the core's tests.

TOY_SRCS := $(addprefix arch/toy/,classify.c slot.c jump.c chain.c calls.c code.c) \
	    $(addprefix arch/none/,around.c lean.c store.c code.c second.c bare.c)
