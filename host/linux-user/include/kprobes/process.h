/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/process.h - Kprobes in a process: what no kernel needs.
 *
 * Owns: the explicit start, how NOKPROBE_SYMBOL reaches the engine, and who
 *       executes.
 */
#ifndef KPROBES_PROCESS_H
#define KPROBES_PROCESS_H

/*
 * Start the engine in this process.  Not needed with libkprobes.so, which
 * starts when it is loaded, nor with libkprobes.a when constructors run.
 * 0; -EBUSY: a thread has SIGTRAP blocked.  Later calls return the same.
 */
int kp_process_start(void);

/*
 * The calling thread's number, and its process's in the upper 32 bits.  Any context,
 * handlers included; no system call but in a thread's first hit.
 */
unsigned long long kp_process_ids(void) __attribute__((pure));

/*
 * The calling thread's name, with zeros at its end, as it was ten milliseconds ago or
 * later.  Any context.
 */
void kp_process_name(char name[16]);

/*
 * The code of the calling module from begin to end is its handlers' and what they
 * call: all of it was compiled for general registers only (-mgeneral-regs-only), and
 * handlers reach nothing but it and functions of this library.  So it is never probed,
 * and its handlers are called with the vector registers as they are, which costs
 * half as much.  Before the first registration; may sleep.  0; -EINVAL: not code of
 * one object, or an instruction in it uses other registers.
 */
int kp_process_handlers(const void *begin, const void *end);

/*
 * From now on programs that this process and its children execute begin with the
 * library, and with a module: what KPROBES_LOAD would say of it.  Programs that the C
 * library's dynamic linker does not load, or that gain rights, do not.  library NULL:
 * not any more.  May sleep.  0; -ENAMETOOLONG.
 */
int kp_process_follow(const char *library, const char *load);

/* fn must not be probed.  Called by NOKPROBE_SYMBOL at load time. */
void kp_process_nokprobe(const void *fn, const char *name);

#endif
