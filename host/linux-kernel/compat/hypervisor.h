/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/hypervisor.h - whose virtual machine this is.
 *
 * Owns: the name of the function that looks for a hypervisor's signature, which got
 * another in 6.16, together with a macro that tells.
 */
#ifndef KP_COMPAT_HYPERVISOR_H
#define KP_COMPAT_HYPERVISOR_H

#include <asm/processor.h>
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif

#ifdef for_each_possible_cpuid_base_hypervisor
#define kp_hypervisor_base cpuid_base_hypervisor
#else
#define kp_hypervisor_base hypervisor_cpuid_base
#endif

#endif
