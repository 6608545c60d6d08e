// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_events.c - the kernel's tracepoints, and samples by its clock.
 *
 * Owns: what tracefs says about a tracepoint: its number and the fields of its record.  Those of
 * a script are read all at once, while files can still be read.
 */
#include "trace_events.h"

#include "names/names.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 4096
#define SAMPLE_LEAST 10000		/* the kernel makes no finer ones, nanoseconds */

struct event {
	struct event *next;
	char *group, *name;
	uint64_t number;
	char *fields;			/* as names_event_args() is given them */
	size_t len;
};

bool events_are_meant(const struct trace_attach *attach)
{
	return !strcmp(attach->provider, "tracepoint") &&
	       strcmp(attach->function, "syscalls") &&
	       strcmp(attach->function, "raw_syscalls");
}

static bool is_noted(const struct tracing *t, const struct trace_attach *attach)
{
	unsigned int i;

	for (i = 0; i < t->events_nr; i++)
		if (!strcmp(t->events[i].group, attach->function) &&
		    !strcmp(t->events[i].name, attach->third))
			return true;
	return false;
}

/* Of more than there is room for events_places() says so. */
void events_note(struct tracing *t, const struct trace_attach *attach)
{
	unsigned int at = t->events_nr;

	if (at == TRACING_EVENTS || is_noted(t, attach))
		return;
	snprintf(t->events[at].group, sizeof(t->events[at].group), "%s",
		 attach->function);
	snprintf(t->events[at].name, sizeof(t->events[at].name), "%s",
		 attach->third);
	t->events_nr++;
}

/* ---- files ------------------------------------------------------------------- */

static DIR *open_events(char path[256])
{
	static const char *const places[] = {
		"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events",
	};
	DIR *dir = NULL;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]) && !dir; i++) {
		snprintf(path, 256, "%s", places[i]);
		dir = opendir(path);
	}
	return dir;
}

static bool is_field(const char *line)
{
	return !strncmp(line, "\tfield:", 7);
}

static void read_format(struct event *event, const char *path)
{
	FILE *file = fopen(path, "re"), *fields;
	char line[512];

	fields = file ? open_memstream(&event->fields, &event->len) : NULL;
	while (fields && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "ID: ", 4))
			event->number = strtoull(line + 4, NULL, 10);
		else if (is_field(line))
			fprintf(fields, "%s%c", line + 7, 0);
	}
	if (fields)
		fclose(fields);
	if (file)
		fclose(file);
}

static void free_event(struct event *event)
{
	free(event->group);
	free(event->name);
	free(event->fields);
	free(event);
}

static void take_event(struct tracing_names *n, const char *where,
		       const char *group, const char *name)
{
	struct event *event, **end = &n->events;
	unsigned int nr = 0;
	char path[1024];

	for (; *end; end = &(*end)->next, nr++)
		if (!strcmp((*end)->group, group) && !strcmp((*end)->name, name))
			return;
	event = nr < EVENTS_MAX ? calloc(1, sizeof(*event)) : NULL;
	if (!event)
		return;
	event->group = strdup(group);
	event->name = strdup(name);
	if (!event->group || !event->name) {
		free_event(event);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s/%s/format", where, group, name);
	read_format(event, path);
	*end = event;
}

static void read_group(struct tracing_names *n, const char *where,
		       const char *group, const char *pattern)
{
	const struct dirent *entry;
	char path[1024];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", where, group);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    !fnmatch(pattern, entry->d_name, 0))
			take_event(n, where, group, entry->d_name);
	if (dir)
		closedir(dir);
}

void events_read(struct tracing_names *n)
{
	const struct tracing *t = n->t;
	const struct dirent *entry;
	char where[256];
	unsigned int i;
	DIR *dir = t->events_nr ? open_events(where) : NULL;

	n->has_events = dir;
	while (dir && (entry = readdir(dir)))
		for (i = 0; i < t->events_nr && entry->d_name[0] != '.'; i++)
			if (!fnmatch(t->events[i].group, entry->d_name, 0))
				read_group(n, where, entry->d_name,
					   t->events[i].name);
	if (dir)
		closedir(dir);
}

void events_free(struct tracing_names *n)
{
	struct event *event;

	while ((event = n->events)) {
		n->events = event->next;
		free_event(event);
	}
}

/* ---- places ------------------------------------------------------------------ */

int events_places(struct tracing_names *n, const struct trace_attach *attach,
		  emit_fn emit, void *to, const char **why)
{
	struct trace_place place = { .kind = TRACE_PLACE_EVENT, .kernel = true };
	const struct event *event;
	unsigned int nr = 0;
	char name[512];

	if (!is_noted(n->t, attach)) {
		*why = "a script names 256 tracepoints, or patterns of them, at most";
		return -E2BIG;
	}
	*why = n->has_events ?
	       "this kernel has no such tracepoint; \"kprobes trace -l 'tracepoint:sched:*'\" lists those of one kind" :
	       "this kernel does not show its tracepoints: mount -t tracefs tracefs /sys/kernel/tracing, or it has none; kprobe: on the function where it stands";
	for (event = n->events; event; event = event->next) {
		if (!event->number || fnmatch(attach->function, event->group, 0) ||
		    fnmatch(attach->third, event->name, 0))
			continue;
		snprintf(name, sizeof(name), "tracepoint:%s:%s", event->group,
			 event->name);
		place.name = name;
		place.function = event->name;
		place.addr = event->number;
		emit(to, &place);
		nr++;
	}
	return nr ? 0 : -ENOENT;
}

int events_samples(const struct trace_attach *attach, emit_fn emit, void *to,
		   const char **why)
{
	struct trace_place place = {
		.kind = TRACE_PLACE_SAMPLE, .kernel = true, .function = "",
		.addr = attach->nsecs,
	};
	char name[128];

	*why = "a processor is looked at 100,000 times a second at most";
	if (attach->nsecs < SAMPLE_LEAST)
		return -EINVAL;
	snprintf(name, sizeof(name), "profile:%s%s%s", attach->target,
		 attach->target[0] ? ":" : "", attach->function);
	place.name = name;
	emit(to, &place);
	return 0;
}

/* ---- fields ------------------------------------------------------------------ */

const struct trace_arg *events_args(struct tracing_names *n,
				    const struct trace_attach *attach,
				    uint32_t *nr, const char **why)
{
	const struct event *event;

	*why = "the kernel does not say what is in its record";
	for (event = n->events; event; event = event->next)
		if (!strcmp(event->group, attach->function) &&
		    !strcmp(event->name, attach->third))
			return names_event_args(n->kernel_types, event->fields,
						event->len, nr);
	return NULL;
}
