// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * settle.c - leading stopped threads out of our code.
 *
 * Owns: the question whether a thread may continue without our signal handlers, and what to do
 * if it may not:
 *   - it has hit a breakpoint or a protected page, or is in a handler or in a slot: it
 *     continues alone, to the next system call, until it is out;
 *   - it sleeps in a system call that was copied to a slot: its IP is set to
 *     where the program has that call;
 *   - a signal handler of the program has interrupted it in a slot: it will return
 *     there, so this has to be waited for.
 * Detours, return stubs and our copies of system calls need no handler: a thread may rest in
 * them for ever, since their memory stays.
 */
#include "attach_cli.h"
#include "cli.h"
#include "frame.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define OURS (1l << (SIGTRAP - 1) | 1l << (SIGSEGV - 1))
#define STEPS 64
#define STEP_MS 10
#define STOP_MS 2000
#define STACK_MAX (256u * 1024)		/* searched for signal frames */

static void take_range(void *arg, const char *text, size_t len)
{
	struct settling *s = arg;
	const char *end = text + len;

	while (text < end && s->slots_nr < SETTLE_SLOTS) {
		uint64_t *slot = s->slots[s->slots_nr];

		if (sscanf(text, "%" SCNx64 "-%" SCNx64, &slot[0], &slot[1]) == 2)
			s->slots_nr++;
		text = memchr(text, '\n', (size_t)(end - text));
		text = text ? text + 1 : end;
	}
}

int settle_begin(struct settling *s)
{
	char error[512];

	return process_ask(s->fd, "slots", -1, error, sizeof(error), take_range,
			   s);
}

static bool in_slot(const struct settling *s, uint64_t ip)
{
	int i;

	for (i = 0; i < s->slots_nr; i++)
		if (ip - s->slots[i][0] < s->slots[i][1] - s->slots[i][0])
			return true;
	return false;
}

static bool in_library(const struct settling *s, uint64_t ip)
{
	const struct remote_map *map = remote_map_at(&s->process->remote, ip);

	return map && map->exec && strstr(map->path, "libkprobes.so");
}

/* Is the word at addr, an address in a slot, in a frame that will be returned by? */
static bool is_frame(const struct settling *s, uint64_t addr)
{
	uint64_t from;

	/* One of our own handlers': it is over, or the thread is in it. */
	return frame_has_ip(&s->process->remote, addr, &from) &&
	       !in_library(s, from);
}

/* Has a signal handler of the program's interrupted it in a slot? */
static bool interrupted(const struct settling *s, uint64_t sp)
{
	const struct remote *remote = &s->process->remote;
	const struct remote_map *map = remote_map_at(remote, sp);
	static remote_word words[STACK_MAX / sizeof(remote_word)];
	uint64_t from = sp & ~(sizeof(words[0]) - 1ull);
	size_t i, nr;

	if (!s->slots_nr || !map)
		return false;
	nr = (map->end - from) / sizeof(words[0]);
	if (nr > STACK_MAX / sizeof(words[0]))
		nr = STACK_MAX / sizeof(words[0]);
	if (remote_read(remote, from, words, nr * sizeof(words[0])))
		return false;
	for (i = 0; i < nr; i++)
		if (in_slot(s, words[i]) && is_frame(s, from + i * sizeof(words[0])))
			return true;
	return false;
}

/* A signal of ours is on its way. */
static bool awaits(const struct settling *s, const struct thread *thread)
{
	return remote_status_signals(s->process->remote.pid, thread->tid, "SigPnd") & OURS;
}

static bool quiet(const struct settling *s, const struct thread *thread)
{
	return thread->signal != SIGTRAP && thread->signal != SIGSEGV &&
	       !awaits(s, thread) &&
	       !in_library(s, tracee_ip(&thread->regs)) && !in_slot(s, tracee_ip(&thread->regs));
}

/* It sleeps where it may sleep on. */
bool settle_rests(void *arg, const struct thread *thread)
{
	const struct settling *s = arg;

	return !(thread->rest.look.pending & (uint64_t)OURS) && !in_library(s, thread->rest.pc) &&
	       !in_slot(s, thread->rest.pc) && !interrupted(s, thread->rest.sp);
}

static void take_address(void *arg, const char *text, size_t len)
{
	(void)len;
	*(uint64_t *)arg = strtoull(text, NULL, 16);
}

/* It sleeps in a copied system call: let it sleep in the original. */
static int move(const struct settling *s, struct thread *thread)
{
	char request[64], error[512];
	uint64_t ip = 0;
	int err;

	snprintf(request, sizeof(request), "original %llx",
		 (unsigned long long)tracee_ip(&thread->regs));
	err = process_ask(s->fd, request, -1, error, sizeof(error),
			  take_address, &ip);
	if (err || !ip || in_slot(s, ip))
		return err ? err : EAGAIN;
	tracee_set_ip(&thread->regs, ip);
	return tracee_write(thread->tid, &thread->regs);
}

/* To its next stop: at a system call, for a signal, or because time is up. */
static int go_on(struct thread *thread, bool *late)
{
	int status, err;

	if (ptrace(PTRACE_SYSCALL, thread->tid, 0, (long)thread->signal))
		return errno;
	thread->signal = 0;
	thread->stopped = thread->at_entry = false;
	err = thread_wait(thread->tid, &status, STEP_MS);
	*late = err == ETIMEDOUT;
	if (*late) {
		if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
			return errno;
		err = thread_wait(thread->tid, &status, STOP_MS);
	}
	if (err)
		return err;
	thread->stopped = true;
	thread->at_entry = WSTOPSIG(status) == (SIGTRAP | 0x80) && thread_at_entry(thread->tid);
	if (!(status >> 16) && WSTOPSIG(status) != (SIGTRAP | 0x80))
		thread->signal = WSTOPSIG(status);
	err = thread_read(thread);
	if (!err && thread_is_event(status))
		filtered_stopped(thread);
	return err;
}

int settle_one(const struct settling *s, struct thread *thread)
{
	int err = 0, steps;
	bool late = false;

	for (steps = 0; steps < STEPS && !late; steps++) {
		if (quiet(s, thread))
			return interrupted(s, tracee_sp(&thread->regs)) ? EAGAIN : 0;
		if (in_slot(s, tracee_ip(&thread->regs)) &&
		    tracee_call(&thread->regs) >= 0)
			err = move(s, thread);
		else
			err = go_on(thread, &late);
		if (err)
			return err;
	}
	return quiet(s, thread) ? 0 : EAGAIN;
}

int settle_all(const struct settling *s, struct threads *threads, pid_t *who)
{
	int i, err;

	for (i = 0; i < threads->nr; i++) {
		if (threads->list[i].watched)
			continue;
		err = settle_one(s, &threads->list[i]);
		/* It has ended. */
		if (!err || err == ESRCH || err == ECHILD)
			continue;
		*who = threads->list[i].tid;
		return err;
	}
	return 0;
}
