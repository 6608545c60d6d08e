// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * command.c - a new process, probed from its start.
 *
 * Owns: what the environment tells the process, and the question whether it will be obeyed, or
 * the engine is to be brought into it (held.c).
 * The dynamic linker says nothing when it ignores LD_PRELOAD, or when there is no dynamic
 * linker.  So the program is examined first, and a program that cannot be probed is not run.  A
 * later failure, such as a missing symbol, ends the new process before its main begins
 * (host/linux-user/start/init.c).
 */
#include "attach_cli.h"
#include "cli.h"
#include "engine.h"
#include "object.h"
#include "park.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_MAX 5			/* as many as the kernel follows */
#define SEGMENTS_MAX 256

static int refuse(const char *path, const char *why)
{
	cli_error("%s %s; it was not run", path, why);
	return CLI_REFUSED;
}

/* 0, or why it cannot be executed: a directory is searched, not executed. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) || access(path, X_OK))
		return errno;
	return S_ISREG(st.st_mode) ? 0 : EACCES;
}

int cli_find_program(const char *name, char *path, size_t len)
{
	const char *at = getenv("PATH"), *end;
	int err = ENOENT, one;

	if (!at)
		at = "/bin:/usr/bin";
	if (strchr(name, '/') || !*name) {
		snprintf(path, len, "%s", name);
		err = executable(path);
		at = NULL;
		if (!err)
			return CLI_OK;
	}
	for (; at; at = *end ? end + 1 : NULL) {
		end = strchrnul(at, ':');
		snprintf(path, len, "%.*s%s%s", (int)(end - at), at,
			 end == at ? "" : "/", name);
		one = executable(path);
		if (!one)
			return CLI_OK;
		if (one != ENOENT && one != ENOTDIR)
			err = one;
	}
	cli_error("%s: %s", name, strerror(err));
	return cli_status_of(err);
}

/* Does the kernel give it rights that its user has not? */
static bool gains_rights(int fd, const struct stat *st)
{
	struct statvfs fs;
	char caps[64];

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (!fstatvfs(fd, &fs) && (fs.f_flag & ST_NOSUID)))
		return false;
	if ((st->st_mode & S_ISUID) && st->st_uid != getuid())
		return true;
	if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    st->st_gid != getgid())
		return true;
	return getuid() && fgetxattr(fd, "security.capability", caps,
				     sizeof(caps)) > 0;
}

/* The dynamic linker that it names; "" for none. */
static bool read_linker(int fd, const ElfW(Ehdr) *eh, char linker[PATH_MAX])
{
	ElfW(Phdr) ph;
	unsigned int i;

	linker[0] = 0;
	if (eh->e_phentsize != sizeof(ph) || eh->e_phnum > SEGMENTS_MAX)
		return false;
	for (i = 0; i < eh->e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph),
			  (off_t)(eh->e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type != PT_INTERP)
			continue;
		if (!ph.p_filesz || ph.p_filesz >= PATH_MAX ||
		    pread(fd, linker, ph.p_filesz, (off_t)ph.p_offset) !=
			    (ssize_t)ph.p_filesz)
			return false;
		linker[ph.p_filesz] = 0;
		return true;
	}
	return true;
}

static bool is_linker(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strncmp(name ? name + 1 : path, OBJECT_LINKER,
			sizeof(OBJECT_LINKER) - 1);
}

/* It loads nothing itself: without an image there is no other way.  A status, printed. */
static int brought(const char *path, const char *refusal, bool *by_image)
{
	*by_image = park_is_known() && engine_image();
	return *by_image ? CLI_OK : refuse(path, refusal);
}

static int check_elf(const char *path, int fd, const struct stat *st,
		     const ElfW(Ehdr) *eh, bool *by_image)
{
	char linker[PATH_MAX];

	if (eh->e_ident[EI_CLASS] != NATIVE_CLASS || eh->e_machine != OBJECT_MACHINE)
		return refuse(path, "is not for " OBJECT_NAME "; only that can be probed");
	if (gains_rights(fd, st))
		return refuse(path, "gets rights that you do not have (setuid, setgid or capabilities), so the dynamic linker would not load a probe into it; start it without, and attach with -p as root");
	if (!read_linker(fd, eh, linker))
		return refuse(path, "is damaged");
	if (is_linker(linker) || (!linker[0] && is_linker(path)))
		return CLI_OK;
	if (strstr(linker, "ld-musl"))
		return brought(path, "uses the C library musl; only glibc is known", by_image);
	if (linker[0])
		return brought(path, "uses a dynamic linker that is not glibc's", by_image);
	return brought(path, "is statically linked, so nothing can be loaded into it; link it with libkprobes.a instead",
		       by_image);
}

static int check_program(const char *path, int depth, bool *by_image);

/* "#!INTERPRETER [ARGUMENT]" */
static int check_script(char *line, int depth, bool *by_image)
{
	char *at = line + strspn(line, " \t");

	at[strcspn(at, " \t\n")] = 0;
	return *at ? check_program(at, depth + 1, by_image) : CLI_OK;
}

static int check_open(const char *path, int fd, int depth, bool *by_image)
{
	union {
		ElfW(Ehdr) eh;
		char text[256];
	} head = { .text = "" };
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		cli_error("%s: not a program", path);
		return CLI_FAILED;
	}
	len = pread(fd, &head, sizeof(head) - 1, 0);
	if (len >= (ssize_t)sizeof(head.eh) &&
	    !memcmp(head.eh.e_ident, ELFMAG, SELFMAG))
		return check_elf(path, fd, &st, &head.eh, by_image);
	if (depth >= SCRIPTS_MAX)
		return CLI_OK;		/* the kernel has a word for it */
	if (len > 2 && !memcmp(head.text, "#!", 2)) {
		head.text[len] = 0;
		return check_script(head.text + 2, depth, by_image);
	}
	/* What the kernel does not know, the shell runs: execvp(3). */
	return check_program("/bin/sh", depth + 1, by_image);
}

static int check_program(const char *path, int depth, bool *by_image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int status;

	if (fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return cli_status_of(errno);
	}
	status = check_open(path, fd, depth, by_image);
	close(fd);
	return status;
}

/* Its dynamic linker is told the library's name. */
int cli_check_program(const char *path, bool *by_image)
{
	int status;

	*by_image = false;
	status = check_program(path, 0, by_image);
	if (status || *by_image || cli_library_has_name())
		return status;
	cli_error("%s: a program of glibc's dynamic linker cannot be started with probes by this command, whose library is no file; start it, and use -p",
		  path);
	return CLI_REFUSED;
}

int cli_check_preload(const char *library)
{
	/* The linker takes a list that blanks and colons separate. */
	if (!strpbrk(library, " \t\n:;"))
		return CLI_OK;
	cli_error("%s: the dynamic linker cannot be given a path with blanks or colons; install the library elsewhere, or name a copy in KPROBES_LIBRARY",
		  library);
	return CLI_REFUSED;
}

int cli_check_module(const char *file, char path[PATH_MAX])
{
	if (!cli_real_path(file, path) || access(file, R_OK)) {
		cli_error("%s: %s", file, strerror(errno));
		return cli_status_of(errno);
	}
	if (!strchr(path, ';'))
		return CLI_OK;
	cli_error("%s: a path with ';' cannot be given to a new process", path);
	return CLI_USAGE;
}

static int run(const char *spec, const char *library, const char *program,
	       char **command)
{
	const char *before = getenv("LD_PRELOAD");
	char *preload, first[256] = "";
	bool runtime = cli_sanitizer(program, first, sizeof(first));

	if (asprintf(&preload, "%s%s%s%s%s", runtime ? first : "",
		     runtime ? ":" : "", library,
		     before && *before ? ":" : "", before ? before : "") < 0) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	/* Gone before its main begins: what it starts is not probed. */
	setenv("KPROBES_ONCE", before ? before : "", 1);
	setenv("LD_PRELOAD", preload, 1);
	setenv("KPROBES_LOAD", spec, 1);
	execvp(command[0], command);
	cli_error("%s: %s", command[0], strerror(errno));
	return cli_status_of(errno);
}

int cli_process_run(const char *file, char *const *params, char **command)
{
	char path[PATH_MAX], program[PATH_MAX], spec[KP_PACKET_MAX];
	const char *library = cli_need_library();
	int status = library ? cli_check_module(file, path) : CLI_FAILED;
	bool by_image = false;

	if (!status)
		status = cli_check_preload(library);
	if (!status)
		status = cli_make_spec(spec, sizeof(spec), "", path, params);
	if (!status && strchr(spec, ';')) {
		cli_error("a parameter with ';' cannot be given to a new process");
		status = CLI_USAGE;
	}
	if (!status)
		status = cli_find_program(command[0], program, sizeof(program));
	if (!status)
		status = cli_check_program(program, &by_image);
	if (status)
		return status;
	return by_image ? cli_process_run_held(file, params, command)
			: run(spec, library, program, command);
}
