/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.c - what the architecture's assembly assumes of the core's structs.
 *
 * Owns: that it is so, asserted where these are known.  The architecture's layout.h
 * says what it assumes.
 */
#include "context.h"
#include "instance.h"
#include "stub.h"
#include "layout.h"
