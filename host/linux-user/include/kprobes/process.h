/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/process.h - what only processes need.
 *
 * Owns: the explicit start, how NOKPROBE_SYMBOL reaches the engine, and the identity of
 *       the calling thread.
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
 * The calling thread's number, with its process's number in the upper 32 bits.  Any
 * context, handlers included.  Makes a system call only in a thread's first hit.
 */
unsigned long long kp_process_ids(void) __attribute__((pure));

/*
 * The calling thread's name, padded with zeros, as it was at most ten milliseconds ago.
 * Any context.
 */
void kp_process_name(char name[16]);

/*
 * Declares the code from begin to end as the calling module's handlers and everything
 * that they call.  All of it was compiled for general registers only
 * (-mgeneral-regs-only), and handlers call nothing but this code and functions of this
 * library.  So this code is never probed, and its handlers are called without saving
 * vector registers, which costs half as much.  Call it before the first registration; it
 * may sleep.  Returns 0, or -EINVAL if this is not code of one object, or an instruction
 * in it uses other registers.
 */
int kp_process_handlers(const void *begin, const void *end);

/*
 * From now on, programs that this process and its children execute start with the library
 * and with a module; load is what KPROBES_LOAD would contain.  Programs that the C
 * library's dynamic linker does not load, or that gain rights, do not.  library NULL turns
 * this off.  May sleep.  Returns 0 or -ENAMETOOLONG.
 */
int kp_process_follow(const char *library, const char *load);

/*
 * The same for programs that this process itself executes in its own place, and for none of
 * its children.  left, which may be NULL, is memory that others see: a program that begins
 * without the library is noted there, done being 1 then.
 */
struct kp_process_left {
	unsigned int done;
	char path[252];
};
int kp_process_follow_exec(const char *library, const char *load,
			   struct kp_process_left *left);

/*
 * After one of these two: programs that cannot be started so, as static ones, may be held before
 * their first instruction by somebody outside who traces them.  Whoever is about to execute
 * one asks in memory that both see, and waits until it is told to go on, for some seconds at
 * most, and only as long as *listener says that somebody is there (a robust futex, futex(2)).  It
 * ends with the other two.
 */
enum kp_process_asks {
	KP_ASKS_NOT,
	KP_ASKS_SOON,			/* the process: it is being written */
	KP_ASKS,			/* the process; what follows is the other side's: */
	KP_ASKS_GRANTED,		/* it is traced */
	KP_ASKS_REFUSED,
	KP_ASKS_OVER,			/* the process: there is no such program */
};
#define KP_PROCESS_ASKERS 16
struct kp_process_asker {
	unsigned int state;		/* enum kp_process_asks */
	int tid;			/* as the process knows it */
};
void kp_process_follow_held(struct kp_process_asker askers[KP_PROCESS_ASKERS],
			    const unsigned int *listener, const char *linker);

/*
 * The calling thread is at work for whoever has loaded the calling module, not for the
 * program, until the same with false: probes that it hits call no handler, and count
 * nothing as missed.  Nests.
 */
void kp_process_own_work(_Bool begins);

/*
 * In a module's init function: when the process ends by exit(), the module's exit function
 * is not called, and its probes stay to the process's last instruction.  So what runs
 * behind the last destructor is seen, too, as the C library's writing of what its streams
 * hold, and the system call that ends the process.
 */
void kp_process_stay(void);

/*
 * From now on fn is called for each object that the dynamic linker loads or unloads, of all its
 * namespaces, by the thread that does it: when the object is mapped, before its constructors
 * run and before it is relocated (so nothing in it may be called), and after it was unmapped.
 * fn may register and unregister probes, and must not load objects.  There is one fn; NULL turns
 * this off, and waits for calls that are under way.  Returns 0, or -EBUSY: the linker's notice
 * cannot be watched, so fn will hardly be called.
 */
struct kp_process_object {
	const char *path;		/* as the linker has it */
	unsigned long bias, start, end;
};
typedef void (*kp_process_object_fn)(const struct kp_process_object *object, _Bool comes);
int kp_process_objects(kp_process_object_fn fn);

/*
 * A thread of the module's that runs fn, with all signals blocked but those of probes and
 * faults.  The program's C library may not know it, so fn calls nothing of that.  0 or
 * -errno.  The module waits for it, once, before it goes: until it is over.
 */
int kp_process_thread(void (*fn)(void), unsigned long *thread);
void kp_process_thread_wait(unsigned long thread);

/* So much of a file, shared, for reading and writing; NULL: it cannot be mapped. */
void *kp_process_map(int fd, unsigned long len);

/* fn must not be probed.  Called by NOKPROBE_SYMBOL at load time. */
void kp_process_nokprobe(const void *fn, const char *name);

#endif
