/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * attach_cli.h - a process as a target: between process.c and what it uses.
 *
 * Owns: the prototypes of examine.c, attach.c, detach.c, connect.c, knock.c, ask.c, take.c,
 * library.c, sharers.c, seccomp.c, command.c.
 */
#ifndef KP_CLI_ATTACH_H
#define KP_CLI_ATTACH_H

#include "remote.h"
#include "ptracer.h"

#include "attach.h"

#include <limits.h>

struct process {
	struct remote remote;
	char label[64];			/* "process 12 (redis)" */
	bool by_image;			/* the command puts the engine there itself */
	uint64_t surface_at;		/* kp_attach in it; 0: no library */
	struct kp_attach_surface surface;	/* as last read */
	bool own;			/* the surface is its own: no fork's */
	int connection;			/* with its endpoint; or -1 */
	uint64_t token[2];		/* with which it was made */
};

/* examine.c: look at a process; a status, printed. */
int process_examine(struct process *process, pid_t pid);
int process_reread(struct process *process);
void process_end(struct process *process);
/* Has it the library, prepared at least? */
bool process_started(const struct process *process);
/* The service thread's number as we see it; 0: none. */
pid_t process_service(const struct process *process);
/* The machine that its program is for, EM_...; EM_NONE: it cannot be read. */
unsigned int process_machine(pid_t pid);
/* Can it be attached to?  A status, printed. */
int process_attachable(struct process *process);
/* One that is stopped answers nobody.  A status, printed. */
int process_awake(const struct process *process);
int process_denied(const struct process *process, int err);
/*
 * Is it a tracer other than this command?  A thread of this command's that has ended
 * still traces for a moment, and has no name any more.
 */
bool process_foreign(long tracer);
/*
 * Print what follows "process 12 (redis)" and return status; but if it has
 * ended meanwhile, that is what is wrong: print so and return CLI_ABSENT.
 */
int process_failed(pid_t pid, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A thread is not there any more: before that is said, wait a moment until it is
 * seen what has become of the process.  Another errno: nothing.
 */
void process_wait_gone(pid_t pid, int err);

/* attach.c: bring the library in and start it; or only a service thread for us. */
int process_attach(struct process *process);
/* Without a connection: another command has left it meanwhile. */
int process_serve(struct process *process);
/* Remove what an interrupted command has left; nothing is started. */
int process_clean(struct process *process);
/* A mailbox from at on that is there already; 0: none. */
uint64_t inject_stale(const struct remote *remote, unsigned int from);
/* mailbox.c: is that what lies at one of its places? */
bool mailbox_is_ours(const struct remote *remote, uint64_t place);
/* prove.c: may the surface's functions be called?  A status, printed. */
int process_prove(const struct process *process);
/* library.c: the library's path, beside this program; NULL: it is not there. */
const char *cli_library(void);
bool cli_library_has_name(void);	/* for other processes, too */
/* The same for what the command puts itself into processes that load nothing. */
const char *cli_image(void);
const char *cli_need_library(void);	/* NULL: that is said */

/*
 * command.c: can the environment of a new process name the library, and a module,
 * whose path is found?  Statuses, printed.
 */
int cli_check_preload(const char *library);
int cli_check_module(const char *file, char path[PATH_MAX]);

/* locked.c: would ours take what it may lock?  A status, printed. */
int cli_locked_check(pid_t pid, uint64_t mailbox);

/* sharers.c: another process with its memory; 0: none; -1: the kernel does not say. */
pid_t process_sharer(pid_t pid);

/* reach.c: is path the same file in the process's mount namespace? */
bool cli_same_file(pid_t pid, const char *path);
/* May the process's user open what path is for us? */
bool cli_opens(pid_t pid, const char *path);
int cli_copy_file(int from, int to);	/* 0 or errno */
/* A copy in memory: a descriptor, or -errno. */
int cli_private_copy(int file, const char *name);

/* detach.c: leave it as it was.  fd: a connection. */
int process_detach(struct process *process, int fd);

/* threads.c: all threads but two, held. */
struct threads {
	pid_t pid, except, service;
	pid_t engine;			/* of ours, too (engine.c) */
	/* May this one, which is watched, be left asleep?  NULL: none. */
	bool (*may_rest)(void *arg, const struct thread *thread);
	void *arg;
	struct thread *list;
	int nr, room;
	pid_t who;			/* that could not be held */
};
int threads_hold(struct threads *threads);
int threads_more(struct threads *threads);	/* that were made meanwhile */
void threads_release(struct threads *threads);
bool thread_has_moved(pid_t pid, const struct thread *thread);

/* settle.c: threads out of our code, so that it can be left. */
#define SETTLE_SLOTS 256
struct settling {
	const struct process *process;
	int fd;				/* a connection */
	uint64_t slots[SETTLE_SLOTS][2];	/* from, to */
	int slots_nr;
};
int settle_begin(struct settling *s);
/* May a thread that is watched be left asleep?  arg: the settling. */
bool settle_rests(void *arg, const struct thread *thread);
/* 0, EAGAIN or an errno. */
int settle_one(const struct settling *s, struct thread *thread);
/* 0; EAGAIN and *who: that thread is not out of it; or an errno. */
int settle_all(const struct settling *s, struct threads *threads, pid_t *who);

/*
 * release.c: memory that threads could come back to goes, if none can.  Begun before
 * the library's handlers go, asked after it, with all threads held; its thread ends
 * then.  NULL: it is not to be asked.
 */
struct release;
struct release *release_begin(struct remote *remote, int fd);
void release_ask(struct release *r, struct threads *threads, int fd);
void release_end(struct release *r);

/*
 * take.c: our copy of a descriptor of the process, proved to be what it should
 * be; or -errno.  An empty memfd that can be sealed and nothing else can write;
 * the client's end of the knock socket.
 */
int take_any(pid_t pid, int number);
int take_memfd(pid_t pid, int number);
int take_seal(int fd);			/* 0 or errno: never changes again */
int take_socket(pid_t pid, pid_t tid, int number, uint64_t ino);
bool take_knows_threads(void);	/* can a thread's own be taken? */

/*
 * process.c: "FILE" "name=value"… as the loader reads it (kprobes/load.h), with
 * verb in front.  A status, printed.
 */
int cli_make_spec(char *text, size_t room, const char *verb, const char *path,
		  char *const *params);
struct cli_target;
/*
 * process.c: load a copy of file, a probe module of ours, under a name of its own,
 * which shares memory, a memfd, with us.  A status, printed.
 */
int cli_process_share(struct cli_target *target, const char *file,
		      const char *name, int memory);
/* process.c: leave it, if nothing is loaded there. */
void cli_process_leave(struct cli_target *target);

/*
 * connect.c: the endpoint; *fd is a connection, or -1 where another command has left it
 * meanwhile.  A status, printed.
 */
int process_connect(struct process *process, int *fd);
/*
 * Another one in the place of fd, which the process has closed: it waits for a client
 * no longer than some seconds.  A status, printed; fd is one afterwards, or closed by it.
 */
int process_reconnect(struct process *process, int fd);
/* knock.c: the service thread waits for us: *process has the connection.  0 or errno. */
int process_knock(struct process *process);
/*
 * ask.c: one request, with a descriptor when file >= 0.  0 or the answer's errno; its
 * text goes to error; EPIPE with a text when the process does not answer.
 */
int process_ask(int fd, const char *text, int file, char *error, size_t len,
		void (*emit)(void *arg, const char *line, size_t len),
		void *arg);
/* The same with several descriptors; "load" takes two. */
int process_ask_with(int fd, const char *text, const int *files, size_t nr,
		     char *error, size_t len,
		     void (*emit)(void *arg, const char *line, size_t len),
		     void *arg);

/* Seconds that a request may take; 0: as long as its kind does. */
extern int cli_patience;

/*
 * seccomp.c: before any thread is stopped: what is seen without that; others: something
 * is to be done to all threads.  Then a thread is stopped and traced.  A status, printed.
 */
int cli_seccomp_look(pid_t pid, bool others);
int cli_dispatch_check(pid_t pid, pid_t tid);	/* stopped */
int cli_seccomp_check(pid_t pid, pid_t tid);	/* stopped, and to be borrowed */
int cli_seccomp_check_others(pid_t pid, pid_t except);
int cli_check_stopped(pid_t pid, const struct threads *threads);

#endif
