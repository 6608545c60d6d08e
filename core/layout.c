/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.c - what the architecture's assembly assumes about the core's structs.
 *
 * Owns: the assertions of these assumptions.  The architecture's layout.h lists them.
 */
#include "context.h"
#include "instance.h"
#include "stub.h"
#include "layout.h"
