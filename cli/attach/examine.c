// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * examine.c - what kind of process this is, and whether the library is in it.
 *
 * Owns: the refusals, each with what to do.  Nothing is changed in the process.
 */
#include "attach_cli.h"
#include "cli.h"
#include "engine.h"
#include "view.h"
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define STARTING_MS 2000		/* for the dynamic linker's work */
#define EXEC_MS 2000			/* for the kernel's, with a new program */

/* Its main thread has ended; do others go on? */
static bool goes_on(pid_t pid)
{
	pid_t *tids = NULL;
	bool found = false;
	int i, nr, tries;

	/* In the middle of exec it is so, too, for a moment. */
	for (tries = 0; tries < 40; tries++) {
		if (remote_state(pid, pid) != 'Z')
			return false;
		nr = remote_threads(pid, &tids);
		free(tids);
		if (nr < 2)
			return false;
		usleep(5000);
	}
	nr = remote_threads(pid, &tids);
	for (i = 0; i < nr && !found; i++)
		found = tids[i] != pid && remote_state(pid, tids[i]) &&
			remote_state(pid, tids[i]) != 'Z';
	free(tids);
	return found;
}

/* What has not ended is in the middle of exec: soon its new program is seen. */
static void wait_changed(pid_t pid)
{
	int tries;

	for (tries = 0; tries < EXEC_MS / 5 && !remote_ending(pid) &&
	     !remote_has_changed(pid); tries++)
		usleep(5000);
}

/* It has ended, or is ending. */
static int ended(pid_t pid)
{
	char name[32];
	bool alone = goes_on(pid);

	wait_changed(pid);
	if (remote_has_changed(pid)) {
		cli_error("process %d (%s) has begun another program meanwhile (exec); try again if you mean that program",
			  (int)pid, remote_comm(pid, name));
		return CLI_FAILED;
	}
	if (alone) {
		cli_error("process %d (%s) goes on without its main thread, which has ended: the kernel shows neither the program nor the memory of such a process any more, so it cannot be attached to; start it with \"kprobes load ... -- COMMAND\" instead",
			  (int)pid, remote_comm(pid, name));
		return CLI_REFUSED;
	}
	if (remote_state(pid, pid))
		cli_error("process %d (%s) has ended, or is ending", (int)pid,
			  remote_comm(pid, name));
	else
		cli_error("there is no process %d", (int)pid);
	return CLI_ABSENT;
}

void process_wait_gone(pid_t pid, int err)
{
	siginfo_t info;
	int tries;

	if (err != ESRCH && err != ECHILD && err != EIO)
		return;
	for (tries = 0; tries < EXEC_MS / 5 && !remote_ending(pid) &&
	     !remote_has_changed(pid); tries++) {
		/* exec waits until those of its threads that we trace are seen. */
		do
			info.si_pid = 0;
		while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) &&
		       info.si_pid);
		usleep(5000);
	}
}

int process_failed(pid_t pid, int status, const char *fmt, ...)
{
	char name[32], text[1280];
	va_list args;

	if (remote_ending(pid) || remote_has_changed(pid))
		return ended(pid);
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	cli_error("process %d (%s)%s", (int)pid, remote_comm(pid, name), text);
	return status;
}

static int yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

int process_denied(const struct process *process, int err)
{
	pid_t pid = process->remote.pid;
	long tracer = remote_status_number(pid, pid, "TracerPid", 10);
	long uid = remote_status_number(pid, pid, "Uid", 10);

	if (remote_ending(pid))
		return ended(pid);
	if (tracer > 0) {
		char name[32];

		cli_error("%s is being traced by process %ld (%s); end or detach that one first",
			  process->label, tracer,
			  remote_comm((pid_t)tracer, name));
		return CLI_REFUSED;
	}
	if (uid != (long)geteuid() && geteuid())
		cli_error("%s belongs to user %ld: not permitted; run as root or as that user",
			  process->label, uid);
	else if (geteuid() && yama_scope())
		cli_error("%s: the kernel lets only root trace other processes here (kernel.yama.ptrace_scope is %d); run as root",
			  process->label, yama_scope());
	else if (!geteuid())
		cli_error("%s: not permitted (%s), even to root here: a security module, or the container that this runs in, prevents it; try from outside, with CAP_SYS_PTRACE there",
			  process->label, strerror(err));
	else
		cli_error("%s: not permitted (%s); a process that has changed its user or its privileges can be reached by root only",
			  process->label, strerror(err));
	return CLI_DENIED;
}

/* ---- the library in it ------------------------------------------------------- */

static uint64_t find_surface(const struct remote *remote)
{
	uint64_t at = remote_find(remote, "kprobes", "kp_attach");

	/* Linked into the program, or under another name. */
	return at ? at : remote_find(remote, "", "kp_attach");
}

static bool is_own(const struct process *process)
{
	pid_t pid = process->remote.pid;
	char buf[256], *last;

	if (!remote_status(pid, pid, "NSpid", buf, sizeof(buf)))
		return process->surface.pid == pid;
	last = strrchr(buf, '\t');
	return process->surface.pid == atoi(last ? last + 1 : buf);
}

int process_reread(struct process *process)
{
	struct kp_attach_surface *surface = &process->surface;

	memset(surface, 0, sizeof(*surface));
	process->own = false;
	if (remote_refresh(&process->remote))
		return ended(process->remote.pid);
	process->surface_at = find_surface(&process->remote);
	if (engine_begin(&process->remote)) {
		process->by_image = true;
		/* Who began that was killed: it is brought in anew. */
		if (!engine_is_whole(&process->remote))
			process->surface_at = 0;
	}
	if (!process->surface_at)
		return CLI_OK;
	if (remote_read(&process->remote, process->surface_at, surface,
			sizeof(*surface)))
		return ended(process->remote.pid);
	if (surface->magic != KP_ATTACH_MAGIC ||
	    surface->version != KP_ATTACH_VERSION) {
		cli_error("%s has another version of libkprobes.so loaded; use that version's command, or restart the process",
			  process->label);
		return CLI_REFUSED;
	}
	process->own = is_own(process);
	return CLI_OK;
}

/* ---- the process -------------------------------------------------------------- */

/* ELF header of the program: 0, or an errno. */
static int read_program(pid_t pid, ElfW(Ehdr) *eh)
{
	char path[64];
	ssize_t got;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = view_open_file(path);
	if (fd < 0)
		return -fd;
	got = read(fd, eh, sizeof(*eh));
	err = got < 0 ? errno : 0;
	close(fd);
	return err ? err : got < EI_NIDENT + 4 ? ENOEXEC : 0;
}

unsigned int process_machine(pid_t pid)
{
	ElfW(Ehdr) eh = { { 0 } };

	return read_program(pid, &eh) ? EM_NONE : eh.e_machine;
}

static int check_program(const struct process *process)
{
	ElfW(Ehdr) eh = { { 0 } };
	int err = read_program(process->remote.pid, &eh);

	if (err == ENOENT && remote_is_kernel(process->remote.pid)) {
		cli_error("%s is a thread of the kernel; without -p the kernel is probed",
			  process->label);
		return CLI_REFUSED;
	}
	if (err == EACCES || err == EPERM)
		return process_denied(process, err);
	if (err)
		return ended(process->remote.pid);
	if (eh.e_machine == OBJECT_MACHINE && eh.e_ident[EI_CLASS] == NATIVE_CLASS)
		return CLI_OK;
	if (object_library(eh.e_machine)) {
		cli_error("%s runs a %s-bit program, for which there is a command of its own: have kprobes-%s beside this one (make boards)%s",
			  process->label,
			  eh.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
			  object_library(eh.e_machine),
			  eh.e_ident[EI_CLASS] == ELFCLASS32 ? "; one command serves one kind at a time" : "");
		return CLI_REFUSED;
	}
	cli_error("%s runs a %s-bit program for machine %d; only " OBJECT_PROGRAMS " programs can be probed",
		  process->label,
		  eh.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
		  eh.e_machine);
	return CLI_REFUSED;
}

int process_awake(const struct process *process)
{
	pid_t pid = process->remote.pid;

	if (remote_state(pid, pid) != 'T')
		return CLI_OK;
	cli_error("%s is stopped; continue it first: kill -CONT %d",
		  process->label, (int)pid);
	return CLI_REFUSED;
}

bool process_foreign(long tracer)
{
	char name[32];

	return tracer > 0 &&
	       remote_status((pid_t)tracer, (pid_t)tracer, "Name", name,
			     sizeof(name)) &&
	       strcmp(name, "kprobes");
}

static int check_state(const struct process *process)
{
	pid_t pid = process->remote.pid;
	char buf[128];
	int status;

	if (sysconf(_SC_PAGESIZE) != KP_MAILBOX_CODE_LEN) {
		cli_error("%s cannot be attached to: this kernel has pages of %ld KB, of 4 are known; start it with \"kprobes load ... -- COMMAND\" instead",
			  process->label, sysconf(_SC_PAGESIZE) / 1024);
		return CLI_REFUSED;
	}
	if (remote_ending(pid))
		return ended(pid);
	if (process_foreign(remote_status_number(pid, pid, "TracerPid", 10)))
		return process_denied(process, EPERM);
	status = process_awake(process);
	if (status)
		return status;
	if (remote_status(pid, pid, "x86_Thread_features", buf, sizeof(buf)) &&
	    strstr(buf, "shstk")) {
		cli_error("%s uses a shadow stack, on which no call can be injected; start it with \"kprobes load ... -- COMMAND\" instead",
			  process->label);
		return CLI_REFUSED;
	}
	return CLI_OK;
}

int process_examine(struct process *process, pid_t pid)
{
	char name[32];
	int status, err;

	memset(process, 0, sizeof(*process));
	process->remote.pid = pid;
	process->remote.mem = -1;
	process->connection = -1;
	snprintf(process->label, sizeof(process->label), "process %d (%s)",
		 (int)pid, remote_comm(pid, name));
	if (!remote_state(pid, pid))
		return ended(pid);
	status = check_program(process);
	if (status)
		return status;
	err = remote_open(&process->remote, pid);
	process->remote.pid = pid;
	if (err == EACCES || err == EPERM)
		return process_denied(process, err);
	if (err)
		return ended(pid);
	status = process_reread(process);
	if (status)
		process_end(process);
	return status;
}

void process_end(struct process *process)
{
	remote_close(&process->remote);
}

/* As it sees files, without following a link; in doubt, yes. */
static bool has_proc(pid_t pid)
{
	struct statfs kind = { 0 };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root/proc", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT;
	if (fstatfs(fd, &kind))
		kind.f_type = PROC_SUPER_MAGIC;
	close(fd);
	return kind.f_type == PROC_SUPER_MAGIC;
}

static bool has_dlopen(const struct remote *remote)
{
	return remote_find(remote, "", "dlopen") ||
	       remote_find(remote, "", "__libc_dlopen_mode");
}

/* Others have dlopen, too, but our library is linked with this one. */
static bool is_glibc(const struct remote *remote)
{
	return remote_find(remote, "", "gnu_get_libc_version");
}

/* It loads nothing itself: without an image there is no other way.  A status, printed. */
static int by_image(struct process *process, const char *refusal)
{
	if (!engine_image())
		return process_failed(process->remote.pid, CLI_REFUSED, "%s", refusal);
	process->by_image = true;
	return CLI_OK;
}

/* For tests: a dynamic program of glibc is attached to like all others. */
static bool wants_image(void)
{
	const char *way = secure_getenv("KPROBES_WAY");

	return way && !strcmp(way, "image");
}

int process_attachable(struct process *process)
{
	struct remote *remote = &process->remote;
	int tries = 0;
	int status = check_state(process);

	if (status)
		return status;
	if (!process->surface_at && !has_proc(remote->pid))
		return process_failed(
			remote->pid, CLI_REFUSED,
			" has no /proc in its root directory, which the engine needs there for the process's map and text: mount one (mount -t proc proc ROOT/proc), then try again");
	if (process->by_image)
		return CLI_OK;
	if (wants_image() && !process->surface_at)
		return by_image(process, ": kprobes.image is not there");
	/* Its libraries may not be in yet. */
	while (!has_dlopen(remote) && remote_has_interpreter(remote->pid) &&
	       tries++ < STARTING_MS / 5) {
		usleep(5000);
		if (remote_has_changed(remote->pid) || remote_refresh(remote))
			return ended(remote->pid);
	}
	if (has_dlopen(remote))
		return is_glibc(remote) ? CLI_OK
			: by_image(process, " has a C library that is not glibc, the only one that is known");
	if (remote_has_interpreter(remote->pid))
		return process_failed(
			remote->pid, CLI_REFUSED,
			" has no C library with dlopen: it is still starting, or has one that is not glibc");
	return by_image(process,
			" is statically linked, so nothing can be loaded into it; link it with libkprobes.a instead");
}

bool process_started(const struct process *process)
{
	return process->surface_at &&
	       process->surface.state != KP_ATTACH_NONE &&
	       process->surface.state != KP_ATTACH_INERT;
}

pid_t process_service(const struct process *process)
{
	pid_t pid = process->remote.pid, found = 0, *tids = NULL;
	int i, nr;

	if (!process->own || !process->surface.service_tid)
		return 0;
	nr = remote_threads(pid, &tids);
	for (i = 0; i < nr && !found; i++)
		if (remote_inner_tid(pid, tids[i]) == process->surface.service_tid)
			found = tids[i];
	free(tids);
	return found;
}
