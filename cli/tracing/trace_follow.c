// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_follow.c - children of traced processes, and programs that they execute.
 *
 * Owns: the list of them.  A child by fork has its parent's memory with everything in it.  It
 * reports into the same arena.  It is known here only to be waited for, and to be detached from
 * at the end.  For a program that one of them executes:
 *
 * 1. the library in the process sees execve, and makes the new program start with the
 *    library and trace.so (kp_process_follow); or asks for it to be held (trace_asked.c), and the
 *    second step is this side's
 * 2. trace.so takes a free piece of memory, and waits
 * 3. this side notices that, and checks that it is the program that it claims to be
 * 4. the reader compiles the script for it, and reads its arena from now on
 * 5. it sets its probes, and its main begins
 *
 * None of this makes a hit slower.  Looking for children reads /proc.
 */
#include "attach_cli.h"
#include "jail.h"
#include "object.h"
#include "tracing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 20			/* between looks at the children */
#define CHANGE_MS 5000			/* between execve and the program's library */

/* ---- at the begin --------------------------------------------------------------- */

/* What it executes has to find our files, and us, by their names. */
static bool can_follow(pid_t pid, const char *library, const char *module)
{
	if (remote_same_numbers(pid) && cli_same_file(pid, library) &&
	    cli_same_file(pid, module) && cli_opens(pid, module))
		return true;
	cli_error("process %d cannot see our files: programs that it executes are not followed",
		  (int)pid);
	return false;
}

/* Can they be named to programs that are executed? */
static int check_files(const char *library, const char *module, char path[PATH_MAX])
{
	const struct kt_share *share;
	int status = cli_check_preload(library);

	if (!status)
		status = cli_check_module(module, path);
	if (status || strlen(library) < sizeof(share->library))
		return status;
	cli_error("%s: the path is too long for -f; install the library elsewhere, or name a copy in KPROBES_LIBRARY",
		  library);
	return CLI_REFUSED;
}

/* For all that are there, and for all that will be. */
int tracing_follow_begin(struct tracing *t)
{
	const char *library = cli_need_library(), *module = tracing_module();
	struct tracing_process *spare = &t->processes[t->processes_nr];
	char path[PATH_MAX], asker[32], fd[32], shares[32], spec[1024];
	char *params[] = { asker, fd, shares, NULL };
	unsigned int i;
	int status = library && module ? check_files(library, module, path) : CLI_FAILED;

	if (status)
		return status;
	if (!cli_library_has_name()) {
		if (!t->args->follow)
			return CLI_OK;
		cli_error("-f needs a library that is a file, and this command's is none; use the one that is installed");
		return CLI_REFUSED;
	}
	snprintf(asker, sizeof(asker), "asker=%d", (int)getpid());
	snprintf(fd, sizeof(fd), "fd=%d", spare->memory);
	snprintf(shares, sizeof(shares), "shares=%u",
		 TRACING_PROCESSES - t->processes_nr);
	status = cli_make_spec(spec, sizeof(spec), "", path, params);
	if (status)
		return status;
	for (i = 0; i < TRACING_PROCESSES; i++) {
		struct tracing_process *p = &t->processes[i];

		if (i < t->processes_nr && !t->started && !can_follow(p->pid, library, path))
			continue;
		strcpy(p->share->library, library);
		strcpy(p->share->load, spec);
		strcpy(p->share->linker, OBJECT_LINKER);
		p->share->only_exec = !t->args->follow;
		if (i >= t->processes_nr)
			tracing_hold(p);
	}
	return CLI_OK;
}

/* ---- children ---------------------------------------------------------------------- */

static struct tracing_kin *kin_of(const struct tracing *t, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < TRACING_KIN; i++)
		if (t->kin[i].pid == pid)
			return &t->kin[i];
	return NULL;
}

static bool is_known(const struct tracing *t, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < t->processes_nr; i++)
		if (t->processes[i].pid == pid &&
		    t->processes[i].there == TRACING_THERE)
			return true;
	return kin_of(t, pid) != NULL;
}

static void add_kin(struct tracing *t, pid_t pid, uint32_t process, bool changed)
{
	struct tracing_kin *free = kin_of(t, 0);
	static bool said;

	if (!free) {
		if (!said)
			cli_error("more than %d children at a time: the others keep their probes, which do nothing after this command ends",
				  TRACING_KIN);
		said = true;
		return;
	}
	*free = (struct tracing_kin){
		.process = process, .image = t->ledger[process].image,
		.since = changed ? (uint64_t)thread_now_ms() : 0,
	};
	/* The face looks at it when we are gone. */
	__atomic_store_n(&free->pid, pid, __ATOMIC_RELEASE);
}

static void look_at_children(struct tracing *t, pid_t pid, uint32_t process)
{
	char path[96];
	pid_t *tids = NULL;
	int i, child, nr = remote_threads(pid, &tids);

	for (i = 0; i < nr; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
			 (int)tids[i]);
		file = fopen(path, "re");
		while (file && fscanf(file, "%d", &child) == 1)
			if (!is_known(t, child))
				add_kin(t, child, process, false);
		if (file)
			fclose(file);
	}
	if (nr >= 0)
		free(tids);
}

/* It has ended; or what it executes would have come by itself by now. */
static bool is_over(const struct tracing *t, const struct tracing_kin *k)
{
	bool ends = remote_ending(k->pid);
	/* The command itself was asked of: that it is not traced any more is said. */
	bool own = t->started && k->pid == t->processes[0].pid;

	if (ends && !(own && k->since))
		return true;
	if (!ends && (!k->since || (uint64_t)thread_now_ms() - k->since <= CHANGE_MS))
		return false;
	cli_error("process %d has executed a program that cannot be followed",
		  (int)k->pid);
	return true;
}

static void look_at_kin(struct tracing *t)
{
	unsigned int i;

	for (i = 0; i < TRACING_KIN; i++) {
		struct tracing_kin *k = &t->kin[i];
		unsigned long image;

		if (!k->pid)
			continue;
		image = remote_image(k->pid);
		if (!k->since && image && k->image && image != k->image)
			k->since = (uint64_t)thread_now_ms();
		if (is_over(t, k))
			k->pid = 0;
		else if (!k->since && t->args->follow)
			look_at_children(t, k->pid, k->process);
	}
}

/* What it has become is asked already, when that is seen. */
static bool has_come_back(const struct tracing *t, unsigned int process)
{
	unsigned int i;

	for (i = process + 1; i < t->processes_nr; i++)
		if (t->processes[i].pid == t->processes[process].pid)
			return true;
	return false;
}

static void look_at_all(struct tracing *t)
{
	unsigned int i, nr = t->processes_nr;

	for (i = 0; i < nr; i++) {
		struct tracing_process *p = &t->processes[i];

		if (p->there == TRACING_THERE && !t->args->follow)
			continue;
		if (p->there == TRACING_THERE)
			look_at_children(t, p->pid, i);
		/* Its next program is on its way. */
		else if (p->there == TRACING_GONE && !p->seen &&
			 !tracing_has_ended(p) && !is_known(t, p->pid) &&
			 !has_come_back(t, i))
			add_kin(t, p->pid, i, true);
		p->seen |= p->there == TRACING_GONE;
	}
	look_at_kin(t);
}

static unsigned int kin_nr(const struct tracing *t)
{
	unsigned int i, nr = 0;

	for (i = 0; i < TRACING_KIN; i++)
		nr += t->kin[i].pid != 0;
	return nr;
}

/* ---- programs ----------------------------------------------------------------------- */

/* It has that very memory mapped: nobody else can say so of it. */
bool tracing_has_memory(pid_t pid, const struct tracing_process *p)
{
	struct remote remote = { .pid = pid, .mem = -1 };
	struct stat st;
	bool found = false;
	uint64_t dev;
	size_t i;

	if (pid <= 0 || fstat(p->memory, &st) || remote_refresh(&remote))
		return false;
	/* Another file's may have the same number on another device. */
	dev = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev);
	for (i = 0; i < remote.maps_nr && !found; i++)
		found = remote.maps[i].ino == st.st_ino &&
			remote.maps[i].dev == dev && remote.maps[i].shared &&
			strstr(remote.maps[i].path, "memfd:kprobes-trace");
	remote_close(&remote);
	return found;
}

/* They go on without. */
static void say_if_full(const struct tracing *t)
{
	static bool said;

	if (said || t->processes_nr < TRACING_PROCESSES)
		return;
	said = true;
	cli_error("%d programs are traced, which is the limit: later programs are not traced",
		  TRACING_PROCESSES);
}

void tracing_arrived(struct tracing *t, unsigned int i, pid_t pid)
{
	struct tracing_process *p = &t->processes[i];
	struct tracing_kin *kin;
	char path[64];
	ssize_t len;

	if (p->held) {
		p->handle = pidfd_open(pid, 0);
		t->guests->began[i] = remote_began(pid);
	}
	kin = kin_of(t, pid);
	if (kin)
		kin->pid = 0;
	p->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, t->mail->of[i].program,
		       sizeof(t->mail->of[i].program) - 1);
	t->mail->of[i].program[len > 0 ? len : 0] = 0;
	t->mail->of[i].pid = t->guests->pids[i] = pid;
	if (i >= t->processes_nr)
		t->processes_nr = i + 1;
	tracing_take_step(t, i, TRACING_HERE);
	say_if_full(t);
}

static void welcome(struct tracing *t, unsigned int i)
{
	struct tracing_process *p = &t->processes[i];
	pid_t pid = (pid_t)__atomic_load_n(&p->share->pid, __ATOMIC_RELAXED);

	p->handle = pid > 0 ? pidfd_open(pid, 0) : -1;
	/* Before it is seen that it is who it says. */
	t->guests->began[i] = remote_began(pid);
	if (p->handle >= 0 && tracing_has_memory(pid, p)) {
		tracing_arrived(t, i, pid);
		return;
	}
	tracing_say_go(p, KT_SHARE_GIVEN_UP);
	tracing_take_step(t, i, TRACING_DONE);
}

/* It goes on as if there had been nothing. */
static void give_up(struct tracing *t, unsigned int i)
{
	tracing_say_go(&t->processes[i], KT_SHARE_GIVEN_UP);
	tracing_held_let_go(&t->processes[i]);
	t->processes[i].there = TRACING_GONE;
	t->processes[i].seen = true;
	tracing_take_step(t, i, TRACING_DONE);
}

static void make_ready(struct tracing *t, unsigned int i)
{
	unsigned int program = TRACING_PROCESS + i, tables = TRACING_UNWIND + i;

	t->len_of[program] = t->mail->len[program];
	t->len_of[tables] = t->mail->len[tables];
	if (!t->len_of[program] || t->len_of[program] > TRACING_PROGRAM_MAX ||
	    t->len_of[tables] > TRACING_PROGRAM_MAX || tracing_grow_one(t, i))
		give_up(t, i);
	else
		tracing_take_step(t, i, TRACING_STEP_READY);
}

static void let_go(struct tracing *t, unsigned int i)
{
	struct tracing_ledger *ledger = &t->ledger[i];
	struct tracing_process *p = &t->processes[i];
	const char *module = tracing_module();

	ledger->pid = p->pid;
	ledger->image = remote_image(p->pid);
	snprintf(ledger->module, sizeof(ledger->module), "%s", module ? module : "");
	tracing_count(t, i);
	/* What comes of it is in the state, too. */
	if (!p->held)
		tracing_say_go(p, KT_SHARE_GO);
	else if (tracing_held_probe(p, ledger))
		tracing_say_go(p, KT_SHARE_GIVEN_UP);
	tracing_take_step(t, i, TRACING_STEP_SET);
}

static void look_whether_set(struct tracing *t, unsigned int i)
{
	struct tracing_process *p = &t->processes[i];
	uint32_t state = __atomic_load_n(&p->share->state, __ATOMIC_ACQUIRE);

	if (state == KT_SHARE_GO && !tracing_has_ended(p))
		return;
	t->ledger[i].loaded = state == KT_SHARE_ON;
	p->there = state == KT_SHARE_ON ? TRACING_THERE : TRACING_GONE;
	tracing_take_step(t, i, TRACING_DONE);
	if (t->args->verbose)
		cli_error("process %d %s", (int)p->pid, state == KT_SHARE_ON ?
			  "is followed" : "could not be followed");
}

/* The reader may say what it likes: only its next step is taken. */
static void look_at_step(struct tracing *t, unsigned int i)
{
	struct tracing_process *p = &t->processes[i];
	uint32_t step = tracing_step(t, i);

	if (p->step == TRACING_NOBODY && !p->pid &&
	    __atomic_load_n(&p->share->state, __ATOMIC_ACQUIRE) == KT_SHARE_WAITING)
		welcome(t, i);
	else if (p->step == TRACING_HERE && step == TRACING_STEP_COMPILED)
		make_ready(t, i);
	else if (p->step == TRACING_STEP_READY && step == TRACING_STEP_BEGUN)
		let_go(t, i);
	else if (p->step == TRACING_STEP_SET)
		look_whether_set(t, i);
}

/* ---- all of it ---------------------------------------------------------------------- */

void tracing_follow(struct tracing *t)
{
	static long last;
	long now = thread_now_ms();
	unsigned int i;

	if (!t->follows)
		return;
	for (i = 0; i < TRACING_PROCESSES; i++)
		look_at_step(t, i);
	if (now - last < LOOK_MS)
		return;
	look_at_all(t);
	last = now;
}

bool tracing_follows_any(const struct tracing *t)
{
	unsigned int i;

	if (!t->follows)
		return false;
	/* Ours is waited for, whatever it has become. */
	if (t->started && waitpid(t->processes[0].pid, NULL, WNOHANG) == 0)
		return true;
	for (i = 0; i < TRACING_KIN; i++)
		if (t->kin[i].pid)
			return true;
	for (i = 0; i < TRACING_PROCESSES; i++) {
		const struct tracing_process *p = &t->processes[i];

		if (p->step > TRACING_NOBODY && p->step < TRACING_DONE)
			return true;
		/* Not looked at yet: it may have begun another program. */
		if (p->there == TRACING_GONE && !p->seen)
			return true;
	}
	return false;
}

void tracing_follow_last(struct tracing *t)
{
	unsigned int before;

	if (!t->follows)
		return;
	do {
		before = kin_nr(t);
		look_at_all(t);
	} while (kin_nr(t) > before);
}

void tracing_follow_leave(struct tracing *t)
{
	static struct tracing_ledger one;
	unsigned int i;

	if (t->follows)
		tracing_held_leave(t);
	for (i = 0; i < TRACING_KIN; i++) {
		const struct tracing_kin *k = &t->kin[i];

		if (!k->pid || k->since)
			continue;
		one = t->ledger[k->process];
		one.pid = k->pid;
		one.image = k->image;
		one.loaded = true;
		tracing_leave_one(t, &one);
	}
}
