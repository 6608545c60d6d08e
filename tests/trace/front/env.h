/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env.h - a world for scripts under test: a few functions, structures, arguments.
 */
#ifndef FRONT_TESTS_ENV_H
#define FRONT_TESTS_ENV_H

#include "front/script.h"

extern const struct trace_env test_env;

#endif
