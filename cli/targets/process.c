// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * process.c - a process as a target.
 *
 * Owns: the target's operations, over the endpoint in the process, and what
 * its answers mean to a person.
 */
#include "attach_cli.h"
#include "cli.h"
#include "place.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEFT_TRIES 200

static int ask(struct cli_target *target, const char *text, int file,
	       cli_line_fn emit, void *arg, const char *about)
{
	char error[512];
	int err = process_ask(target->fd, text, file, error, sizeof(error),
			      emit, arg);
	int status;

	if (!err)
		return CLI_OK;
	status = process_failed(target->pid, cli_status_of(err), ": %s%s%s",
				about, about[0] ? ": " : "",
				error[0] ? error : strerror(err));
	if (err == EEXIST && strstr(error, "loaded already"))
		cli_error("\"kprobes unload %s -p %d\" takes it out first; a copy of the file under another name can be loaded beside it",
			  basename(about), (int)target->pid);
	if (strstr(error, "a probe was refused"))
		cli_error("\"kprobes dis FUNCTION -p %d\" shows where one can be",
			  (int)target->pid);
	return status;
}

static int list(struct cli_target *target, cli_line_fn emit, void *arg)
{
	return ask(target, "list", -1, emit, arg, "");
}

/* A library that was loaded before it could: the list alone. */
static int details(struct cli_target *target, cli_line_fn emit, void *arg)
{
	char error[512];
	int err = process_ask(target->fd, "details", -1, error, sizeof(error),
			      emit, arg);

	if (!err)
		return CLI_OK;
	if (err == ENOSYS)
		return list(target, emit, arg);
	return process_failed(target->pid, cli_status_of(err), ": %s",
			      error[0] ? error : strerror(err));
}

static int blacklist(struct cli_target *target, cli_line_fn emit, void *arg)
{
	return ask(target, "blacklist", -1, emit, arg, "");
}

static int modules(struct cli_target *target, cli_line_fn emit, void *arg)
{
	return ask(target, "modules", -1, emit, arg, "");
}

static void take_switch(void *arg, const char *text, size_t len)
{
	bool *on = arg;

	*on = len && text[0] == '1';
}

static const char *const knobs[] = {
	[CLI_KNOB_ENABLED] = "enabled", [CLI_KNOB_OPTIMIZATION] = "optimization",
};

static int knob(struct cli_target *target, enum cli_knob knob, bool *on)
{
	return ask(target, knobs[knob], -1, take_switch, on, "");
}

static int set_knob(struct cli_target *target, enum cli_knob knob,
		    const char *value)
{
	const char *verb = knobs[knob];
	char text[128], error[512];
	int err;

	if (snprintf(text, sizeof(text), "%s %s", verb, value) >=
	    (int)sizeof(text))
		err = EINVAL;
	else
		err = process_ask(target->fd, text, -1, error, sizeof(error),
				  NULL, NULL);
	if (!err)
		return CLI_OK;
	if (err == EINVAL) {
		cli_error("%s takes 0 or 1, not \"%s\"", verb, value);
		return CLI_USAGE;
	}
	cli_error("%s: %s: %s", target->name, verb,
		  err == EPIPE ? error : strerror(err));
	return cli_status_of(err);
}

static int switch_probe(struct cli_target *target, const char *where, bool on)
{
	char text[1024], error[512];
	int err;

	if (snprintf(text, sizeof(text), "%s %s", on ? "enable" : "disable",
		     where) >= (int)sizeof(text)) {
		cli_error("%s: too long", where);
		return CLI_USAGE;
	}
	err = process_ask(target->fd, text, -1, error, sizeof(error), NULL,
			  NULL);
	if (!err)
		return CLI_OK;
	if (err == ENOENT)
		cli_error("%s has no probe at %s; \"kprobes list -p %d\" shows where they are",
			  target->name, where, (int)target->pid);
	else if (err == EINVAL)
		cli_error("%s is no place, or its text is gone; a place is a symbol, symbol+0xOFFSET or 0xADDRESS",
			  where);
	else
		cli_error("%s: %s: %s", target->name, where,
			  err == EPIPE ? error : strerror(err));
	return cli_status_of(err);
}

/* ---- modules ------------------------------------------------------------------- */

int cli_make_spec(char *text, size_t room, const char *verb, const char *path,
		  char *const *params)
{
	size_t len = (size_t)snprintf(text, room, "%s%s\"%s\"", verb,
				      verb[0] ? " " : "", path);

	if (strpbrk(path, "\"\n")) {
		cli_error("%s: a path cannot hold a quote or a new line; make a link to it, or a copy",
			  path);
		return CLI_USAGE;
	}
	for (; *params; params++) {
		if (strchr(*params, '"') || strchr(*params, '\n')) {
			cli_error("%s: a parameter cannot hold a quote or a new line",
				  *params);
			return CLI_USAGE;
		}
		if (len < room)
			len += (size_t)snprintf(text + len, room - len,
						" \"%s\"", *params);
	}
	if (len < room)
		return CLI_OK;
	cli_error("the parameters are too long");
	return CLI_USAGE;
}

/* What is inside of the command has a name of its own, which *shown becomes. */
static int find_file(const char **shown, char path[PATH_MAX])
{
	const char *file = *shown;
	int fd;

	if (!cli_real_path(file, path)) {
		cli_error("%s: %s", file, strerror(errno));
		return -cli_status_of(errno);
	}
	if (path[0] != '/')
		*shown = path;
	fd = view_open_file(file);
	if (fd == -EINVAL) {
		cli_error("%s is not a regular file", file);
		return -CLI_FAILED;
	}
	if (fd < 0) {
		cli_error("%s cannot be read: %s", file, strerror(-fd));
		return -cli_status_of(fd);
	}
	return fd;
}

/* The file becomes a copy of it.  A status, printed. */
static int to_copy(int *fd, const char *path)
{
	int copy = cli_private_copy(*fd, basename(path));

	if (copy < 0) {
		cli_error("%s cannot be copied into memory: %s", path,
			  strerror(-copy));
		return CLI_FAILED;
	}
	close(*fd);
	*fd = copy;
	return CLI_OK;
}

/* The command is its linker.  A status, printed. */
static int load_placed(struct cli_target *target, const char *file, const char *path, int fd,
		       char *const *params)
{
	char text[KP_PACKET_MAX];
	int status = cli_make_spec(text, sizeof(text), "load", path, params);

	if (!status)
		status = cli_place_module(target, file, fd);
	close(fd);
	return status ? status : ask(target, text, -1, NULL, NULL, file);
}

static int load(struct cli_target *target, const char *file,
		char *const *params)
{
	char path[PATH_MAX], text[KP_PACKET_MAX];
	int status, fd = find_file(&file, path);
	bool named;

	if (fd < 0)
		return -fd;
	if (((struct process *)target->own)->by_image)
		return load_placed(target, file, path, fd, params);
	named = cli_same_file(target->pid, path);
	status = cli_make_spec(text, sizeof(text), "load", path, params);
	/*
	 * The linker sees its name where it has one there.  Otherwise it gets a
	 * copy that cannot be changed: our own descriptor would let the process
	 * open a file again that it could not come to by a name.
	 */
	named = named && cli_opens(target->pid, path);
	if (!status && !named)
		status = to_copy(&fd, path);
	if (!status)
		status = ask(target, text, named ? -1 : fd, NULL, NULL, file);
	close(fd);
	return status;
}

int cli_process_share(struct cli_target *target, const char *file,
		      const char *name, int memory)
{
	char *none[] = { NULL }, text[KP_PACKET_MAX], path[PATH_MAX], error[512];
	int files[2] = { -1, memory }, status, err;

	files[0] = find_file(&file, path);
	if (files[0] < 0)
		return -files[0];
	status = cli_make_spec(text, sizeof(text), "load", name, none);
	if (!status && ((struct process *)target->own)->by_image)
		status = cli_place_module(target, file, files[0]);
	if (!status)
		status = to_copy(&files[0], path);
	if (!status) {
		err = process_ask_with(target->fd, text, files, 2, error,
				       sizeof(error), NULL, NULL);
		if (err)
			status = process_failed(target->pid, cli_status_of(err),
						": %s", error[0] ? error :
						strerror(err));
	}
	close(files[0]);
	return status;
}

struct match {
	const char *wanted, *base;	/* a path, or what it ends with */
	char found[PATH_MAX];
	int nr, exact;
};

/* "hotspots" is hotspots.so, too. */
static bool is_called(const char *file, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(file, name, len) &&
	       (!file[len] || !strcmp(file + len, ".so"));
}

static void match_line(struct match *match, const char *line)
{
	bool exact = !strcmp(line, match->wanted);

	if (!exact && !is_called(basename(line), match->base))
		return;
	if (exact || (!match->exact && !match->nr))
		snprintf(match->found, sizeof(match->found), "%s", line);
	match->exact += exact;
	match->nr++;
}

/* How many modules are loaded; -status on failure. */
static int find_module(struct cli_target *target, struct match *match)
{
	struct cli_lines lines = { NULL, 0 };
	char *line, *next;
	int nr = 0, status = modules(target, cli_lines_add, &lines);

	for (line = lines.text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		else
			next = line + strlen(line);
		nr++;
		if (match)
			match_line(match, line);
	}
	free(lines.text);
	return status ? -status : nr;
}

static int leave(struct cli_target *target)
{
	struct process *process = target->own;

	if (process->surface.attached)
		return process_detach(process, target->fd);
	return CLI_OK;
}

void cli_process_leave(struct cli_target *target)
{
	if (!find_module(target, NULL))
		leave(target);
}

static int unload(struct cli_target *target, const char *file)
{
	char path[PATH_MAX], text[KP_PACKET_MAX];
	struct match match = { .wanted = path, .base = basename(file) };
	int nr;

	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
	nr = find_module(target, &match);
	if (nr < 0)
		return -nr;
	if (!match.exact && match.nr != 1) {
		cli_error(match.nr ? "%s has several probe modules named %s; give its path"
				   : "%s has no probe module %s loaded",
			  target->name, file);
		return CLI_ABSENT;
	}
	if (nr == 1 && ((struct process *)target->own)->surface.attached)
		return leave(target);
	snprintf(text, sizeof(text), "unload %s", match.found);
	return ask(target, text, -1, NULL, NULL, file);
}

static int unload_all(struct cli_target *target)
{
	if (((struct process *)target->own)->surface.attached)
		return leave(target);
	return ask(target, "unload-all", -1, NULL, NULL, "");
}

/* ---- the target ------------------------------------------------------------------ */

static bool alive(struct cli_target *target)
{
	char state[64];

	return remote_status(target->pid, target->pid, "State", state,
			     sizeof(state)) && state[0] != 'Z';
}

/* Its thread ends with the connection: what comes next finds it gone. */
static void close_target(struct cli_target *target)
{
	pid_t service = process_service(target->own);
	char path[64];
	int i;

	close(target->fd);
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)target->pid,
		 (int)service);
	for (i = 0; service && i < 2000 && !access(path, F_OK); i++)
		usleep(1000);
	process_end(target->own);
	free(target->own);
}

static const struct cli_target_ops ops = {
	.list = list, .details = details, .blacklist = blacklist, .knob = knob,
	.set_knob = set_knob, .switch_probe = switch_probe,
	.load = load, .unload = unload, .unload_all = unload_all,
	.modules = modules, .alive = alive, .close = close_target,
};

static int not_probed(const struct process *process)
{
	cli_error("%s is not probed; \"kprobes load PROBE.so -p %d\" begins",
		  process->label, (int)process->remote.pid);
	return CLI_ABSENT;
}

/* Bring it to where there is an endpoint. */
static int make_ready(struct process *process, enum cli_need need)
{
	int status = CLI_OK;

	if (need == CLI_LOOK && !process_started(process)) {
		status = process_clean(process);
		/* A killed command's call that has ended meanwhile may have begun it. */
		if (status || !process_started(process))
			return status ? status : not_probed(process);
	}
	if (need == CLI_ATTACH && process->surface.state != KP_ATTACH_RUNNING)
		status = process_attach(process);
	return status;
}

int cli_process_open(struct cli_target *target, pid_t pid, enum cli_need need)
{
	struct process *process = calloc(1, sizeof(*process));
	int status, tries = 0;

	*target = (struct cli_target){ .pid = pid, .fd = -1 };
	if (!process) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	status = process_examine(process, pid);
	if (status) {
		free(process);
		return status;
	}
	/* A command before this one may leave it just now: then from the begin. */
	do {
		status = make_ready(process, need);
		if (!status)
			status = process_connect(process, &target->fd);
	} while (!status && target->fd < 0 && tries++ < LEFT_TRIES);
	if (!status && target->fd < 0)
		status = process_failed(pid, CLI_FAILED,
					": other commands leave it all the time; try again");
	if (status) {
		process_end(process);
		free(process);
		return status;
	}
	snprintf(target->name, sizeof(target->name), "%s", process->label);
	target->own = process;
	target->ops = &ops;
	return CLI_OK;
}
