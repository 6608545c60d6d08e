/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects.h - the list of the program and its shared objects.
 *
 * Owns: struct kp_object and the list of them.
 */
#ifndef KP_USER_OBJECTS_H
#define KP_USER_OBJECTS_H

#include "env.h"

#define KP_SEGMENTS_MAX 16
struct kp_symbol {
	uintptr_t addr;
	size_t len;			/* never 0 once indexed */
	const char *name;
	uint8_t type;			/* ELF STT_* */
	bool second;			/* code of the processor's second instruction set */
	uint8_t rank;			/* the smaller, the better the name */
};
struct kp_object {
	struct kp_object *next;		/* load order */
	const char *path, *module;	/* module: "" for the main program */
	char *file;			/* the file's name, if it is another; ours */
	bool file_known;
	uintptr_t bias, start, end;	/* what its segments span */
	struct kp_segment {
		uintptr_t start, end;
		bool exec, write;
	} segments[KP_SEGMENTS_MAX];
	int segments_nr;
	uintptr_t phdr;			/* with bias: who it is */
	unsigned int phdr_nr;
	uintptr_t dynamic;		/* or 0 */
	uintptr_t eh_hdr;		/* .eh_frame_hdr, or 0 */
	uintptr_t eh_frame, eh_frame_end;	/* elf.c's: .eh_frame, by its section; or 0 */
	uint8_t runtime;		/* runtime.c's; 0: not known yet */
#define KP_RUNTIME_GO 1
	uint8_t callers;		/* callers.c's; 0: not known yet */
#define KP_ASKED_MAX 16
	unsigned int asked_nr;		/* ditto; it may be more */
	uintptr_t asked[KP_ASKED_MAX];
	bool main, vdso, seen;
	bool settled;			/* noprobe.c has read it */
	bool fresh;			/* not scanned yet */
	bool other;			/* of a namespace that dlmopen() has made */
	bool told;			/* the listener knows it, or came later */
	bool frames_known;		/* backtrace.c has looked at it */
	uintptr_t handlers, handlers_end;	/* declared: kp_process_handlers */
	/* elf.c, built when first needed. */
	bool indexed;
	struct kp_symbol *symbols;	/* by address */
	size_t symbols_nr;
	uint32_t *names;		/* elf.c's; when one was asked for */
	char *strings;			/* of .symtab; ours */
};
struct kp_object *kp_user_object_first(void);
struct kp_object *kp_user_object_at(uintptr_t addr);
const struct kp_segment *kp_user_segment_at(const struct kp_object *object,
					    uintptr_t addr);
void kp_user_object_add(struct kp_object *object);	/* the last one */
/* One that was not seen, from the list; NULL: there is none, and now all are unseen. */
struct kp_object *kp_user_object_take_unseen(void);
const char *kp_user_exe(void);		/* the program's file */

#endif
