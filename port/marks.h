/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * marks.h - marks of code whose stacks are small.
 *
 * Owns: the names that the process host and the command look for, so that both judge a file
 * in the same way.
 */
#ifndef KP_MARKS_H
#define KP_MARKS_H

#define KP_MARKS_GO_SECTIONS ".gopclntab", ".data.rel.ro.gopclntab", \
			     ".go.buildinfo", ".note.go.buildid"
#define KP_MARKS_GO_SYMBOLS "runtime.morestack", "runtime.goexit", \
			    "runtime.pclntab"
/* Of C and C++ that was compiled with -fsplit-stack; gccgo's code has it, too. */
#define KP_MARKS_SPLIT_SYMBOLS "__morestack"

/* Where the table of its functions is; the last has other things, too. */
#define KP_MARKS_GO_TABLES ".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"

#endif
