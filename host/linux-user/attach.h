/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * attach.h - between the kprobes command and the library in a process.
 *
 * Owns: what the command reads and writes in the process's memory when it
 * attaches, and what the two say to each other over the endpoint.  The command
 * is trusted with all of it: whoever can write a process's memory owns it.
 *
 * The mailbox is memory that the command maps into the process while it
 * attaches, at one of a few fixed places, where the library's constructor
 * finds it.  There it also is the injected calls' stack.
 *
 *   KP_ATTACH_NONE      the library has not started
 *   KP_ATTACH_RUNNING   started: by itself, or by PREPARED and arm()
 *   KP_ATTACH_PREPARED  handlers installed, no breakpoint of the host's yet
 *   KP_ATTACH_CLEARED   probes and breakpoints removed, handlers still there
 *   KP_ATTACH_INERT     nothing of ours is left but the mapping
 */
#ifndef KP_USER_ATTACH_H
#define KP_USER_ATTACH_H

#include "env_arch.h"

#include <stdint.h>

#define KP_ATTACH_VERSION 4
#define KP_ATTACH_MAGIC 0x636174746170706bull	/* "kppattac" */

enum kp_attach_state {
	KP_ATTACH_NONE, KP_ATTACH_RUNNING, KP_ATTACH_PREPARED,
	KP_ATTACH_CLEARED, KP_ATTACH_INERT,
};

/* Places of the mailbox: far from what mmap, the heap and programs use. */
#ifndef KP_MAILBOX_HIGH
#define KP_MAILBOX_HIGH 0x4b5000000000ull	/* where addresses have 64 bits */
#endif
#define KP_MAILBOX_PLACE(i) \
	(sizeof(void *) == 8 ? KP_MAILBOX_HIGH + (i) * 0x100000000ull \
			     : 0x4b50000ull + (i) * 0x400000ull)
#define KP_MAILBOX_PLACES 4
/* A page of code, data, and a stack that ends the mapping. */
#define KP_MAILBOX_CODE_LEN 4096u
#define KP_MAILBOX_LEN (512u * 1024)
#define KP_MAILBOX_THREADS 4096
#define KP_MAILBOX_AUXV 64
#define KP_MAILBOX_WISHES 8192

/*
 * What the command asks of a thread that it has started at the image's entry.  Such a thread
 * begins as a function that is called with the mailbox as its argument, on the mailbox's
 * stack, with all signals blocked but those of faults, and with kp_mailbox.pointer for its
 * thread pointer.  It
 * never returns: it ends when it is told to, or when nothing was asked for KP_ENGINE_MS.
 */
enum kp_engine_call {
	KP_ENGINE_PREPARE = 1, KP_ENGINE_ADOPT, KP_ENGINE_ARM, KP_ENGINE_SERVE, KP_ENGINE_END,
};
#define KP_ENGINE_MS 4000

struct kp_mailbox {
	uint64_t magic;
	uint32_t version;
	int32_t result;			/* of the last call; 0 or -errno */
	uint64_t own_mask;		/* the calling thread's real mask */
	int32_t threads_nr;		/* in: others, and their masks; < 0: more */
	int32_t threads[KP_MAILBOX_THREADS];
	uint64_t masks[KP_MAILBOX_THREADS];
	char path[4096];		/* of the library */
	char text[512];			/* why result is not 0 */
	/* For serve(). */
	uint64_t token[2];		/* what the client will say */
	int32_t shared;			/* enum kp_knock_table */
	int32_t call;			/* enum kp_engine_call */
	/*
	 * To an image that the command has loaded itself.  It writes call, then asked, which
	 * is another number each time; the engine writes what is asked for, then answered.
	 */
	uint32_t asked, answered;
	int32_t tid, reserved;		/* the thread's; 0 when it has ended */
	uint64_t image, image_len;	/* the range that it has been given, page by page */
	uint64_t way_back;		/* the command's: where the borrowed thread goes on */
	uint64_t pointer[64];		/* the first word says where it is itself */
	uint64_t auxv[KP_MAILBOX_AUXV][2];	/* of the program, as the kernel gave it */
	char wishes[KP_MAILBOX_WISHES];	/* KPROBES_... of its environment, each ended by a 0 */
};

/*
 * Whose table has the knock socket.  Where pidfds of threads are not known
 * (before Linux 6.9), it has to be the program's, as long as it takes.
 */
enum kp_knock_table { KP_KNOCK_OWN, KP_KNOCK_SHARED, KP_KNOCK_TAKEN };

/*
 * Exported by the library as kp_attach.  The functions are called by injection
 * on the mailbox's stack; each sets result and text.
 */
struct kp_attach_surface {
	uint64_t magic;
	uint32_t version;
	int32_t state;			/* enum kp_attach_state */
	int32_t pid;			/* whose; differs in a forked child */
	int32_t service_tid;		/* 0: no service thread */
	int32_t knock_fd;		/* the client's end; -1: none */
	int32_t wants_memory;		/* it may not open its own */
	uint64_t knock_ino[2];		/* of the client's end, and of ours */
	int32_t attached;		/* 1: by the command, so it can detach */
	int32_t reserved;
	void (*prepare)(struct kp_mailbox *);	/* other threads run */
	/* Other threads are stopped; adopt() before masks change, then arm(). */
	void (*adopt)(struct kp_mailbox *);
	void (*arm)(struct kp_mailbox *);
	void (*serve)(struct kp_mailbox *);	/* start the service thread */
};

extern struct kp_attach_surface kp_attach;

/*
 * The log, exported as kp_log (log_ring.c): kprobes log reads it in the process's
 * memory.  Slot ticket % slots_nr holds that ticket's text if it says ticket+1,
 * before and after the text was read.
 */
#define KP_LOG_MAGIC 0x676f6c6570706b6bull	/* "kkppelog" */
#define KP_LOG_SLOTS 512u
#define KP_LOG_TEXT 240u

struct kp_log_slot {
	uint64_t ticket;		/* plus 1; 0: being written */
	uint16_t len;
	uint16_t more;			/* the line goes on in the next one */
	uint32_t reserved;
	char text[KP_LOG_TEXT];
};

struct kp_log {
	uint64_t magic;
	uint32_t slots_nr, text_len;
	uint64_t head;			/* the next ticket */
	struct kp_log_slot slots[KP_LOG_SLOTS];
};

extern struct kp_log kp_log;

/*
 * The endpoint.  For each client a service thread is started, by serve().  It
 * has a file table of its own, out of which the client takes one end of a knock
 * socket with pidfd_getfd, which the kernel allows to whom it allows ptrace;
 * and sends KP_KNOCK with the token that it has written into the mailbox, and
 * one end of a SOCK_SEQPACKET pair of its own.  Over that pair a
 * request is one packet of text, "VERB [WORDS]"; load may carry one descriptor, or
 * two.
 * The answer is packets of text that begin with 'd' (a piece of output), then
 * one that begins with 'e': "eERRNO TEXT", ERRNO 0 for success.
 */
#define KP_KNOCK "kprobes 2 %016llx%016llx"
#define KP_KNOCK_LEN (10 + 32)
#define KP_PACKET_MAX 8192u

#endif
