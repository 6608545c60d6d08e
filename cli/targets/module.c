// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * module.c - loading and unloading kernel modules.
 *
 * Owns: finit_module and delete_module, and the texts for their errors.  What a module prints
 * while it is loaded or refused is repeated from the kernel log.
 */
#include "module.h"
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *release(void)
{
	static struct utsname name;

	return uname(&name) ? "" : name.release;
}

/* ---- the kernel log -------------------------------------------------------- */

static int log_begin(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* What the kernel says of every module that is not its own. */
static bool is_taint(const char *text)
{
	return strstr(text, "taints kernel") ||
	       strstr(text, "tainting kernel");
}

/* What was said since, by the module and by the engine; after a failure all. */
static void log_show(int fd, const char *module, bool failed)
{
	char record[2048], *text, *end;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, record, sizeof(record) - 1)) > 0) {
		record[got] = 0;
		text = strchr(record, ';');
		if (!text++)
			continue;
		end = strchr(text, '\n');
		if (end)
			*end = 0;
		if (!is_taint(text) &&
		    (failed || !strncmp(text, module, strlen(module)) ||
		     !strncmp(text, "kprobes:", 8)))
			fprintf(stderr, "  %s\n", text);
	}
	if (fd >= 0)
		close(fd);
}

/* Why the engine refused a probe since the last call; "": it did not. */
static void take_refusal(char *text, size_t len)
{
	const char *dir = cli_kernel_directory();
	char path[128];
	ssize_t got = 0;
	int fd = -1;

	if (dir) {
		snprintf(path, sizeof(path), "%s/refusal", dir);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0) {
		got = read(fd, text, len - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
}

/* ---- what a module file says of itself ------------------------------------- */

/* The value of "tag=" among the strings of .modinfo, found by its bytes. */
static bool modinfo(const char *file, const char *tag, char *value, size_t len)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	size_t tag_len = strlen(tag);
	struct stat st;
	char *bytes = MAP_FAILED, *at;
	bool found = false;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > (off_t)tag_len)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			     fd, 0);
	if (bytes != MAP_FAILED) {
		char *end = bytes + st.st_size;

		at = memmem(bytes, (size_t)st.st_size, tag, tag_len);
		if (at) {
			at += tag_len;
			snprintf(value, len, "%.*s",
				 (int)strnlen(at, (size_t)(end - at)), at);
			found = true;
		}
		munmap(bytes, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* The name that the kernel knows a module by. */
static void name_of(char *name, size_t len, const char *file)
{
	const char *base = strrchr(file, '/');
	size_t i;

	base = base ? base + 1 : file;
	for (i = 0; base[i] && base[i] != '.' && i + 1 < len; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[i] = 0;
}

/* ---- in -------------------------------------------------------------------- */

static int say_wrong_format(const char *file)
{
	char magic[256], *blank;

	if (!modinfo(file, "vermagic=", magic, sizeof(magic))) {
		cli_error("%s: not a kernel module", file);
		return CLI_REFUSED;
	}
	blank = strchr(magic, ' ');
	if (blank && strncmp(magic, release(), (size_t)(blank - magic) + 1) &&
	    (strncmp(magic, release(), strlen(release())) ||
	     magic[strlen(release())] != ' '))
		cli_error("%s was built for kernel %.*s, this is %s: build it again with KDIR=/lib/modules/%s/build",
			  file, (int)(blank - magic), magic, release(),
			  release());
	else
		cli_error("%s does not fit this kernel, although both are %s: it was built with another configuration (%s)",
			  file, release(), magic);
	return CLI_REFUSED;
}

static int say_refusal(const char *file, const char *refusal, int err)
{
	cli_error("%s was not loaded, a probe was refused: %s; \"kprobes dis FUNCTION\" shows where one can be; what it said:",
		  file, refusal);
	return err == ENOENT ? CLI_ABSENT : CLI_REFUSED;
}

static int say_why(const char *file, const char *name, int err)
{
	switch (err) {
	case EPERM:
		cli_error("%s: not permitted; only root may load modules, and not after kernel.modules_disabled=1",
			  file);
		return CLI_DENIED;
	case EEXIST:
		cli_error("%s is loaded already; \"kprobes unload %s\" first",
			  name, name);
		return CLI_FAILED;
	case ENOEXEC:
		return say_wrong_format(file);
	case EKEYREJECTED:
	case ENOKEY:
		cli_error("%s: its signature is not accepted; sign it with a key that this machine trusts",
			  file);
		return CLI_DENIED;
	case ENOENT:
		cli_error("%s: it, or a probe in it, needs a symbol that is not there; what the kernel said:",
			  file);
		return CLI_ABSENT;
	case ENOSYS:
		cli_error("%s: this kernel has no loadable modules", file);
		return CLI_REFUSED;
	}
	cli_error("%s was not loaded: %s; what it said:", file, strerror(err));
	return cli_status_of(err);
}

/* "name=two words" becomes name="two words", as the kernel reads it. */
static int join(char *text, size_t len, char *const *params)
{
	size_t used = 0;

	text[0] = 0;
	for (; *params; params++) {
		const char *value = strchr(*params, '=');
		bool quote = value && value[strcspn(value, " \t\n")];

		if (strchr(*params, '"') && quote) {
			cli_error("%s: blanks and \" together cannot be passed to the kernel",
				  *params);
			return CLI_USAGE;
		}
		if (!value)
			value = *params + strlen(*params);
		used += (size_t)snprintf(text + used, len - used,
					 quote ? "%s%.*s=\"%s\"" : "%s%.*s%s",
					 used ? " " : "",
					 (int)(value - *params), *params,
					 quote ? value + 1 : value);
		if (used >= len) {
			cli_error("too many parameters");
			return CLI_USAGE;
		}
	}
	return CLI_OK;
}

int cli_module_load(const char *file, char *const *params)
{
	int log, err = 0, fd = open(file, O_RDONLY | O_CLOEXEC);
	char text[4096], name[64], refusal[256];
	int status = join(text, sizeof(text), params);

	if (fd < 0) {
		cli_error("%s: %s", file, strerror(errno));
		return cli_status_of(errno);
	}
	if (status) {
		close(fd);
		return status;
	}
	name_of(name, sizeof(name), file);
	log = log_begin();
	take_refusal(refusal, sizeof(refusal));
	if (syscall(SYS_finit_module, fd, text, 0))
		err = errno;
	close(fd);
	take_refusal(refusal, sizeof(refusal));
	status = !err ? CLI_OK :
		 refusal[0] ? say_refusal(file, refusal, err) :
		 say_why(file, name, err);
	log_show(log, name, err);
	return status;
}

/* ---- out ------------------------------------------------------------------- */

int cli_module_unload(const char *file)
{
	char name[64];
	int log, err = 0;

	name_of(name, sizeof(name), file);
	log = log_begin();
	if (syscall(SYS_delete_module, name, O_NONBLOCK))
		err = errno;
	log_show(log, name, false);
	switch (err) {
	case 0:
		return CLI_OK;
	case ENOENT:
		cli_error("no module %s is loaded", name);
		break;
	case EWOULDBLOCK:
		cli_error("%s is in use; lsmod says by what", name);
		break;
	case EBUSY:
		cli_error("%s is still being loaded or unloaded, or cannot be unloaded",
			  name);
		break;
	case EPERM:
		cli_error("%s: not permitted; only root may unload modules",
			  name);
		break;
	default:
		cli_error("%s was not unloaded: %s", name, strerror(err));
	}
	return cli_status_of(err);
}

/* ---- the engine ------------------------------------------------------------ */

/* modprobe reads what is compressed or lies elsewhere. */
static bool modprobe(const char *option, const char *name)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 2);
		execlp("modprobe", "modprobe", option, name, NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* The build tree that the command runs from. */
static void beside_command(char *path, size_t len, const char *name)
{
	char exe[PATH_MAX];
	ssize_t got = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[got > 0 ? got : 0] = 0;
	snprintf(path, len, "%s/module/%s/%s.ko", dirname(exe), release(), name);
}

/* In the same directory as the engine that was chosen. */
static void beside_chosen(char *path, size_t len, const char *chosen,
			  const char *name)
{
	const char *slash = strrchr(chosen, '/');

	if (!strcmp(name, "kprobes"))
		snprintf(path, len, "%s", chosen);
	else
		snprintf(path, len, "%.*s%s.ko",
			 slash ? (int)(slash - chosen) + 1 : 0, chosen, name);
}

/* Its file, where that can be told; false: modprobe may know. */
static bool find_own(char *path, size_t len, const char *name)
{
	const char *chosen = getenv("KPROBES_KO");

	if (chosen) {
		beside_chosen(path, len, chosen, name);
		return true;
	}
	beside_command(path, len, name);
	if (!access(path, R_OK))
		return true;
	snprintf(path, len, "/lib/modules/%s/updates/dkms/%s.ko", release(),
		 name);
	return !access(path, R_OK);
}

bool cli_module_has_own(const char *name)
{
	char path[PATH_MAX + 128];

	return find_own(path, sizeof(path), name) || modprobe("-n", name);
}

int cli_module_load_own(const char *name)
{
	static char *const none[] = { NULL };
	char path[PATH_MAX + 128];

	if (find_own(path, sizeof(path), name))
		return cli_module_load(path, none);
	if (modprobe("-q", name))
		return CLI_OK;
	cli_error("there is no %s.ko for kernel %s: install it with DKMS, or build it with \"make module KDIR=/lib/modules/%s/build\" and name kprobes.ko in KPROBES_KO",
		  name, release(), release());
	return CLI_ABSENT;
}
