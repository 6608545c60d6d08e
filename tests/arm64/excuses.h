/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an oracle is not to be believed about A64.
 */
#ifndef KP_TEST_A64_EXCUSES_H
#define KP_TEST_A64_EXCUSES_H

#include "isa.h"

extern const struct isa_excuse a64_excuses[];

#endif
