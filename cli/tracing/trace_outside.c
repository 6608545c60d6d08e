// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_outside.c - what a script asks of the machine that it is read on.
 *
 * Owns: users' names and the time zone, which are read before the jail closes; and
 * what can only be had outside of it, where the kernel alone is traced: its memory,
 * for blocks that run in the reader, and where its data is.
 */
#include "tracing.h"

#include "kernel_api.h"
#include "reader.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* After the duties of the reader's own machine. */
#include "kt_host.h"

struct user {
	uint64_t uid;
	char *name;
};

static struct user *users;
static size_t users_nr;
static int kernel_file = -1;

static void read_users(void)
{
	const struct passwd *entry;
	struct user *more;

	setpwent();
	while ((entry = getpwent())) {
		more = realloc(users, (users_nr + 1) * sizeof(*users));
		if (!more)
			break;
		users = more;
		users[users_nr].uid = entry->pw_uid;
		users[users_nr].name = strdup(entry->pw_name);
		users_nr += users[users_nr].name != NULL;
	}
	endpwent();
}

static bool user_name(void *arg, uint64_t uid, char *text, size_t room)
{
	size_t i;

	(void)arg;
	for (i = 0; i < users_nr; i++) {
		if (users[i].uid != uid)
			continue;
		snprintf(text, room, "%s", users[i].name);
		return true;
	}
	return false;
}

static int read_kernel(void *dst, uint64_t addr, uint32_t len, bool user)
{
	struct kt_kernel_peek peek = {
		.addr = addr, .to = (uint64_t)(uintptr_t)dst, .len = len,
	};

	return user || ioctl(kernel_file, KT_KERNEL_PEEK, &peek) != (int)len;
}

/* Of the first that has the name, as for functions. */
bool tracing_kernel_data(const char *name, uint64_t *addr)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[640], other[512];
	unsigned long at;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		found = sscanf(line, "%lx %*c %511s", &at, other) == 2 && at &&
			!strcmp(other, name);
		*addr = found ? at : *addr;
	}
	if (file)
		fclose(file);
	return found;
}

void tracing_outside(struct trace_symbols *symbols, const struct tracing *t)
{
	symbols->user = user_name;
	if (t->acts) {
		symbols->act = tracing_act;
		symbols->acts = t->acts;
	}
	if (t->process || !t->kernel)
		return;
	kernel_file = t->kernel_file;
	read_host.read = read_kernel;
}

/* Users may be asked of services, which takes its time: for who says "username", or
 * reads what is not seen here. */
void tracing_outside_begin(const struct tracing *t)
{
	tzset();
	if (memmem(t->text, t->len, "username", 8) || memmem(t->text, t->len, "#include", 8))
		read_users();
}
