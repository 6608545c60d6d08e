/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim_fault.h - faults in simulated handlers.
 *
 * Owns: the declaration that guard.c and the tests share.
 */
#ifndef KP_SIM_FAULT_H
#define KP_SIM_FAULT_H

#include <stdbool.h>

/* Called from a handler: "this handler faults here".  True: was resolved. */
bool sim_handler_fault(int trapnr);

/* A return stub is reached: as return.S. */
struct pt_regs;
void sim_return(struct pt_regs *regs);
/* As a host that has frames reports them. */
bool sim_framed_trap(struct pt_regs *regs);
void sim_framed_tracer(struct pt_regs *regs, uintptr_t addr, bool redirects);

#endif
