/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dump.h - a compiled script as text. */
#ifndef FRONT_TESTS_DUMP_H
#define FRONT_TESTS_DUMP_H

#include "front/script.h"

#include <stdio.h>

void dump_script(FILE *out, const struct trace_script *script);

#endif
