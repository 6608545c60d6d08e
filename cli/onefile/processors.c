// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * processors.c - the processors that Capstone need not know in the command that is one file.
 *
 * Owns: a refusal for each of KP_OTHERS (tools/install/static.mk), in the place of the archive's
 * decoder, which is then not linked.  Capstone calls the first of the two for cs_open(), and the
 * second for no handle that the first has refused.
 */
#include <capstone/capstone.h>

#define OTHER(name) \
	cs_err name##_global_init(void *handle); \
	cs_err name##_option(void *handle, cs_opt_type type, size_t value); \
	cs_err name##_global_init(void *handle) \
	{ \
		(void)handle; \
		return CS_ERR_ARCH; \
	} \
	cs_err name##_option(void *handle, cs_opt_type type, size_t value) \
	{ \
		(void)handle, (void)type, (void)value; \
		return CS_ERR_ARCH; \
	}

KP_OTHERS
