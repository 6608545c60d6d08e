// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kernel.c - the kernel as a target.
 *
 * Owns: what the subcommands do to the control files of kprobes.ko (kernel_files.c).
 */
#include "cli.h"
#include "kernel_files.h"
#include "module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLDERS "/sys/module/kprobes/holders"

static const struct kernel_files *files_of(const struct cli_target *target)
{
	return target->own;
}

static int failed(const char *path, int err)
{
	if (err == EACCES || err == EPERM)
		cli_error("%s: %s; only root may", path, strerror(err));
	else
		cli_error("%s: %s", path, strerror(err));
	return cli_status_of(err);
}

/* ---- files ----------------------------------------------------------------- */

static int read_lines(const char *path, cli_line_fn emit, void *arg)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int err;

	if (!file)
		return failed(path, errno);
	errno = 0;
	while ((len = getline(&line, &room, file)) > 0)
		emit(arg, line, (size_t)len);
	err = ferror(file) ? errno : 0;
	free(line);
	fclose(file);
	return err ? failed(path, err) : CLI_OK;
}

static int read_switch(const char *path, bool *on)
{
	char text[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	int err = errno;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return failed(path, err);
	*on = text[0] == '1';
	return CLI_OK;
}

/* 0 or a negative errno; the file hears of it in one write. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static const char *path_in(const struct cli_target *target, const char *name)
{
	static char path[KERNEL_FILES_DIR_LEN + 16];

	snprintf(path, sizeof(path), "%s/%s", files_of(target)->dir, name);
	return path;
}

static int list(struct cli_target *target, cli_line_fn emit, void *arg)
{
	return read_lines(path_in(target, "list"), emit, arg);
}

static int blacklist(struct cli_target *target, cli_line_fn emit, void *arg)
{
	return read_lines(path_in(target, "blacklist"), emit, arg);
}

/* The knob's file; NULL: it has none, and the reason is printed. */
static const char *knob_path(const struct cli_target *target,
			     enum cli_knob knob)
{
	const char *path = files_of(target)->optimization;

	if (knob == CLI_KNOB_ENABLED)
		return path_in(target, "enabled");
	if (!access(path, F_OK))
		return path;
	cli_error("%s is missing: the module in this kernel has no jump optimization",
		  path);
	return NULL;
}

static int knob(struct cli_target *target, enum cli_knob knob, bool *on)
{
	const char *path = knob_path(target, knob);

	return path ? read_switch(path, on) : CLI_REFUSED;
}

static int write_value(const char *path, const char *value)
{
	int err = write_text(path, value);

	if (err == -EINVAL) {
		cli_error("\"%s\" is neither 0 nor 1", value);
		return CLI_USAGE;
	}
	return err ? failed(path, -err) : CLI_OK;
}

static int set_knob(struct cli_target *target, enum cli_knob knob,
		    const char *value)
{
	const char *path = knob_path(target, knob);

	return path ? write_value(path, value) : CLI_REFUSED;
}

static int switch_probe(struct cli_target *target, const char *where, bool on)
{
	const char *path = path_in(target, "control");
	char line[600];
	int err;

	if (snprintf(line, sizeof(line), "%s %s\n", on ? "enable" : "disable",
		     where) >= (int)sizeof(line)) {
		cli_error("%s: too long for a place", where);
		return CLI_USAGE;
	}
	err = write_text(path, line);
	switch (err) {
	case 0:
		return CLI_OK;
	case -ENOENT:
		cli_error("%s: no probe is there; \"kprobes list\" shows where some are",
			  where);
		return CLI_ABSENT;
	case -EINVAL:
		cli_error("%s: not a place such as symbol, symbol+0x12 or 0xaddress, or its text is gone",
			  where);
		return CLI_USAGE;
	}
	return failed(path, -err);
}

/* ---- probe modules --------------------------------------------------------- */

static int each_holder(int (*fn)(void *arg, const char *name), void *arg)
{
	DIR *dir = opendir(HOLDERS);
	struct dirent *entry;
	int status = CLI_OK;

	while (dir && !status && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			status = fn(arg, entry->d_name);
	if (dir)
		closedir(dir);
	return status;
}

struct emitter {
	cli_line_fn emit;
	void *arg;
};

static int emit_name(void *arg, const char *name)
{
	struct emitter *e = arg;
	char line[300];

	e->emit(e->arg, line, (size_t)snprintf(line, sizeof(line), "%s\n",
					       name));
	return CLI_OK;
}

static int modules(struct cli_target *target, cli_line_fn emit, void *arg)
{
	struct emitter e = { emit, arg };

	(void)target;
	return each_holder(emit_name, &e);
}

static int load(struct cli_target *target, const char *file,
		char *const *params)
{
	(void)target;
	return cli_module_load(file, params);
}

static int unload(struct cli_target *target, const char *file)
{
	(void)target;
	return cli_module_unload(file);
}

static int unload_name(void *arg, const char *name)
{
	(void)arg;
	return cli_module_unload(name);
}

static int unload_all(struct cli_target *target)
{
	int status = each_holder(unload_name, NULL);

	(void)target;
	return status ? status : cli_module_unload("kprobes");
}

static bool alive(struct cli_target *target)
{
	(void)target;
	return kernel_files();
}

static void nothing_to_close(struct cli_target *target)
{
	(void)target;
}

static const struct cli_target_ops ops = {
	.list = list, .blacklist = blacklist, .knob = knob,
	.set_knob = set_knob, .switch_probe = switch_probe,
	.load = load, .unload = unload, .unload_all = unload_all,
	.modules = modules, .alive = alive, .close = nothing_to_close,
};

/* ---- opening --------------------------------------------------------------- */

static bool knows_debugfs(void)
{
	FILE *file = fopen("/proc/filesystems", "re");
	bool known = !file;
	char line[128];

	while (file && !known && fgets(line, sizeof(line), file))
		known = strstr(line, "\tdebugfs\n");
	if (file)
		fclose(file);
	return known;
}

static int not_there(void)
{
	if (access(KERNEL_FILES_DEBUGFS, X_OK) && (errno == EACCES || errno == EPERM)) {
		cli_error(KERNEL_FILES_DEBUGFS ": %s; run this as root, or name a process with -p PID",
			  strerror(errno));
		return CLI_DENIED;
	}
	if (kernel_files_loaded() && !knows_debugfs()) {
		cli_error("kprobes.ko is loaded, but its probes cannot be listed or switched: this kernel is built without debugfs (CONFIG_DEBUG_FS)");
		return CLI_FAILED;
	}
	if (kernel_files_loaded()) {
		cli_error("kprobes.ko is loaded but its files are not visible: mount -t debugfs debugfs " KERNEL_FILES_DEBUGFS);
		return CLI_FAILED;
	}
	cli_error("the kernel has not loaded kprobes.ko; \"kprobes load PROBE.ko\" does, or name a process with -p PID");
	return CLI_ABSENT;
}

/* It has it, and we are who may ask: then its files can be seen, or that is an error. */
bool cli_kernel_answers(void)
{
	return kernel_files() || (kernel_files_loaded() && !geteuid());
}

int cli_kernel_open(struct cli_target *target, enum cli_need need)
{
	const struct kernel_files *files = kernel_files();
	int status;

	if (!files && need == CLI_ATTACH && !kernel_files_loaded()) {
		status = cli_module_load_own("kprobes");
		if (status)
			return status;
		files = kernel_files();
	}
	/* Probe modules load without the control files, too. */
	if (!files && (need != CLI_ATTACH || !kernel_files_loaded()))
		return not_there();
	*target = (struct cli_target){ .ops = &ops, .name = "the kernel",
				       .fd = -1,
				       .own = (void *)(files ? files :
						       kernel_files_default()) };
	return CLI_OK;
}
