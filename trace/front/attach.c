/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * attach.c - attach points: "kprobe:vfs_*", "uprobe:libc:malloc+4".
 *
 * Owns: the providers, their short names, and what is refused.  Attach points are not made of
 * the language's tokens: they are read by character.
 */
#include "ast.h"

#include <stdlib.h>
#include <string.h>

struct provider {
	const char *name, *brief;
	int least, most;		/* words behind the name */
	const char *instead;		/* why it is refused */
};

static const struct provider providers[] = {
	{ "kprobe", "k", 1, 2, NULL },
	{ "kretprobe", "kr", 1, 2, NULL },
	{ "uprobe", "u", 1, 3, NULL },
	{ "uretprobe", "ur", 1, 3, NULL },
	{ "tracepoint", "t", 2, 2, NULL },
	{ "syscall", "sc", 1, 1, NULL },
	{ "sysret", "sr", 1, 1, NULL },
	{ "usdt", "U", 1, 3, NULL },
	{ "BEGIN", "begin", 0, 0, NULL },
	{ "END", "end", 0, 0, NULL },
	{ "interval", "i", 1, 2, NULL },
	{ "self", "self", 2, 2, NULL },
	{ "test", "test", 0, 1, NULL },
	{ "bench", "bench", 0, 1, NULL },
	{ "profile", "p", 1, 2, NULL },
	{ "hardware", "h", 0, 2, "use perf(1) for the processor's counters" },
	{ "software", "s", 0, 2, "use kprobe: on the kernel's function" },
	{ "kfunc", "f", 0, 2, "use kprobe: and args.NAME" },
	{ "fentry", "fentry", 0, 2, "use kprobe: and args.NAME" },
	{ "kretfunc", "fr", 0, 2, "use kretprobe: and retval" },
	{ "fexit", "fexit", 0, 2, "use kretprobe: and retval" },
	{ "rawtracepoint", "rt", 0, 2, "use kprobe: on the function around it" },
	{ "iter", "it", 0, 2, "it needs BPF: follow the kernel's structures from a kprobe:" },
	{ "watchpoint", "w", 1, 5, NULL },
	{ "kwatchpoint", "kw", 1, 5, NULL },
	{ "code", "code", 1, 2, NULL },
	{ "kcode", "kcode", 1, 1, NULL },
	{ "asyncwatchpoint", "aw", 1, 5, NULL },
};

#define WORDS 6

/* What is between colons. */
struct words {
	char *word[WORDS];
	int nr;
};

static bool ends(char c)
{
	return !c || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '{' ||
	       c == ',';
}

/* A '/' belongs to a path when a ':' follows it; else a predicate begins. */
static bool in_path(const struct source *s, size_t at)
{
	for (; at < s->len && !ends(s->text[at]) && s->text[at] != '"'; at++)
		if (s->text[at] == ':')
			return true;
	return false;
}

/* "$1" */
static const char *param_at(struct front *f, const struct source *s, size_t *len)
{
	size_t nr = 0;

	for (*len = 1; s->at + *len < s->len && s->text[s->at + *len] >= '0' &&
	     s->text[s->at + *len] <= '9' && *len < 6; ++*len)
		nr = nr * 10 + (size_t)(s->text[s->at + *len] - '0');
	if (!nr || nr > (size_t)f->env->params_nr)
		front_fail(f, (struct pos){ (uint32_t)s->at, (uint32_t)*len },
			   "this parameter of the script is missing");
	return f->env->params[nr - 1];
}

/* A text that grows. */
struct growing {
	struct front *f;
	char *bytes;
	uint32_t len, room;
};

static void grow(struct growing *text, char c)
{
	text->bytes = front_room(text->f, text->bytes, text->len, &text->room, 1);
	text->bytes[text->len++] = c;
}

/* A colon, unless it belongs to the name of a function: "::".  How many letters it is. */
static size_t take_colon(struct growing *text, const char *at, uint32_t *starts, int *nr)
{
	if (at[0] == ':' && at[1] == ':') {
		grow(text, ':');
		grow(text, ':');
		return 2;
	}
	if (*at != ':' || *nr == WORDS)
		return 0;
	grow(text, 0);
	starts[(*nr)++] = text->len;
	return 1;
}

/* Words of a place may be in a parameter as they are in the script: "libc:str*". */
static void grow_param(struct growing *text, struct source *s, uint32_t *starts, int *nr)
{
	size_t len, colon;
	const char *param = param_at(text->f, s, &len);

	while (*param) {
		colon = take_colon(text, param, starts, nr);
		param += colon;
		if (!colon)
			grow(text, *param++);
	}
	s->at += len - 1;
}

/* One character, or a parameter.  False: the text ends before it. */
static bool take(struct growing *text, struct source *s, bool *quoted,
		 uint32_t *starts, int *nr)
{
	const char at[] = { s->text[s->at], s->at + 1 < s->len ? s->text[s->at + 1] : 0, 0 };
	char c = *at;
	size_t colon;

	if (c == '"') {
		*quoted = !*quoted;
	} else if (*quoted) {
		grow(text, c);
	} else if (ends(c) || (c == '/' && !in_path(s, s->at))) {
		return false;
	} else if (c == '$') {
		grow_param(text, s, starts, nr);
	} else {
		colon = take_colon(text, at, starts, nr);
		if (colon)
			s->at += colon - 1;
		else
			grow(text, c);
	}
	return true;
}

/* The text up to its end, without quotes, cut at its colons. */
static struct words split(struct lex *lex, struct pos *pos)
{
	struct source *s = &lex->sources[0];
	struct growing text = { .f = lex->f };
	struct words w = { .nr = 1 };
	uint32_t starts[WORDS] = { 0 };
	bool quoted = false;
	int i;

	pos->at = (uint32_t)s->at;
	while (s->at < s->len && take(&text, s, &quoted, starts, &w.nr))
		s->at++;
	grow(&text, 0);
	pos->len = (uint32_t)s->at - pos->at;
	if (quoted)
		front_fail(lex->f, *pos, "this text has no end: write \"");
	for (i = 0; i < w.nr; i++)
		w.word[i] = text.bytes + starts[i];
	return w;
}

static const struct provider *find(struct front *f, const char *name,
				   struct pos pos)
{
	const char *names[ARRAY_SIZE(providers)], *meant;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(providers); i++) {
		if (!strcmp(name, providers[i].name) ||
		    !strcmp(name, providers[i].brief))
			return &providers[i];
		names[i] = providers[i].name;
	}
	for (i = 0; i < ARRAY_SIZE(providers); i++)
		if (!strcasecmp(name, providers[i].name))
			return &providers[i];
	pos.len = (uint32_t)strlen(name);
	meant = front_meant(name, names, ARRAY_SIZE(names));
	if (meant)
		front_fail(f, pos, "there is no probe type %s: is %s meant?", name, meant);
	front_fail(f, pos, "there is no probe type '%s': kprobe kretprobe uprobe uretprobe "
		   "usdt tracepoint syscall sysret watchpoint kwatchpoint code kcode profile interval BEGIN "
		   "and END are known", name);
}

static uint64_t number(struct front *f, const char *text, struct pos pos)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (*text < '0' || *text > '9' || *end)
		front_fail(f, pos, "'%s' is no number", text);
	return value;
}

/* "+OFFSET" is cut off. */
static void cut_offset(struct front *f, struct attach *at, char *function)
{
	char *plus = strrchr(function, '+');

	if (plus && plus > function && plus[1] >= '0' && plus[1] <= '9') {
		*plus = 0;
		at->a.offset = number(f, plus + 1, at->pos);
		if (at->a.offset > UINT32_MAX)
			front_fail(f, at->pos, "an offset has 32 bits");
	}
	at->a.is_address = function[0] == '0' && function[1] == 'x';
	if (at->a.is_address)
		number(f, function, at->pos);
}

/* "100ms"; a number alone is nanoseconds. */
static uint64_t duration(struct front *f, char *text, struct pos pos)
{
	size_t digits = strspn(text, "0123456789_");
	uint64_t by = lex_duration(text + digits, strlen(text + digits)), n;

	if (!by && text[digits])
		return number(f, text, pos);
	text[digits] = 0;
	n = number(f, text, pos);
	if (by && n > UINT64_MAX / by)
		front_fail(f, pos, "this is longer than can be waited for");
	return by ? n * by : n;
}

static void read_interval(struct front *f, struct attach *at, struct words *w)
{
	static const struct {
		const char *name;
		uint64_t nsecs;
	} units[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
		{ "hz", 0 },
	};
	uint64_t n;
	size_t i;

	if (w->nr == 2) {
		at->a.nsecs = duration(f, w->word[1], at->pos);
		if (at->a.nsecs < 1000 || at->a.nsecs > 1000000000000000000)
			front_fail(f, at->pos, "an interval is between 1us and 1e9s; a number "
				   "alone is nanoseconds");
		return;
	}
	n = number(f, w->word[2], at->pos);
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(w->word[1], units[i].name))
			break;
	if (i == ARRAY_SIZE(units))
		front_fail(f, at->pos, "an interval has the unit s, ms, us or hz");
	if (!n || n > 1000000000)
		front_fail(f, at->pos, "an interval is between 1 and 1e9");
	at->a.nsecs = units[i].nsecs ? n * units[i].nsecs : 1000000000 / n;
}

/* self:signal:SIGUSR1 */
static void read_self(struct front *f, struct attach *at, struct words *w)
{
	if (strcmp(w->word[1], "signal") || strcmp(w->word[2], "SIGUSR1"))
		front_fail(f, at->pos, "self:signal:SIGUSR1 is the only one of its kind");
	at->a.function = w->word[2];
}

/* "NAME=" before a provider means nothing yet, in the peer's language either. */
static void cut_name(char **word)
{
	char *name = *word;

	while (lex_name_char(*name))
		name++;
	if (*name == '=' && name > *word)
		*word = name + 1;
}

static void read_usdt(struct attach *at, struct words *w)
{
	char *colons = w->nr == 2 ? strstr(w->word[1], "::") : NULL;

	at->a.third = w->word[w->nr - 1];
	/* usdt:FILE::NAME is of any provider. */
	if (colons && colons > w->word[1] && colons[2]) {
		at->a.third = colons + 2;
		*colons = 0;
		at->a.target = w->word[1];
		return;
	}
	if (w->nr > 2)
		at->a.target = w->word[1];
	if (w->nr > 3)
		at->a.function = w->word[2];
}

/* uprobe:FILE@source.c:12 is uprobe:FILE:source.c:12. */
static void split_source(struct words *w)
{
	char *at = w->nr == 3 ? strrchr(w->word[1], '@') : NULL;

	if (!at || at == w->word[1] || !at[1] || !*w->word[2] ||
	    w->word[2][strspn(w->word[2], "0123456789")])
		return;
	*at = 0;
	w->word[3] = w->word[2];
	w->word[2] = at + 1;
	w->nr = 4;
}

/* [OBJECT:][FILE.c:]NAME[:BYTES][:MODE] */
static void read_watch(struct front *f, struct attach *at, struct words *w)
{
	int name = 1;

	while (name < 3 && name + 1 < w->nr && watch_is_name(w->word[name + 1]))
		name++;
	if (name > 1)
		at->a.target = w->word[1];
	if (name > 2)
		at->a.third = w->word[2];
	at->a.function = w->word[name];
	cut_offset(f, at, w->word[name]);
	watch_read(f, at, w->word + name + 1, w->nr - name - 1);
}

static struct attach *read_words(struct front *f, struct words *w, struct pos pos)
{
	struct attach *at = front_alloc(f, sizeof(*at));
	const struct provider *p;
	int i;

	cut_name(&w->word[0]);
	p = find(f, w->word[0], pos);

	if (p->instead)
		front_fail(f, pos, "%s probes are not supported: %s", p->name, p->instead);
	at->pos = pos;
	at->a = (struct trace_attach){ .provider = p->name, .target = "",
				       .function = "", .third = "" };
	front_line(f->text, f->len, pos.at, &at->a.line, &at->a.column);
	at->text = p->name;
	for (i = 1; i < w->nr; i++)
		at->text = front_format(f, "%s:%s", at->text, w->word[i]);
	if (w->nr - 1 < p->least || w->nr - 1 > p->most)
		front_fail(f, pos, p->most == 0 ? "nothing belongs behind %s" :
			   "what %s is to probe is missing, or too much", p->name);
	for (i = 1; i < w->nr; i++)
		if (!*w->word[i])
			front_fail(f, pos, "a part of this probe's name is missing");
	if (!strcmp(p->name, "interval") || !strcmp(p->name, "profile")) {
		read_interval(f, at, w);
		at->a.target = w->nr == 3 ? w->word[1] : "";
		at->a.function = w->word[w->nr - 1];
	} else if (!strcmp(p->name, "self")) {
		read_self(f, at, w);
	} else if (!strcmp(p->name, "usdt")) {
		read_usdt(at, w);
	} else if (strstr(p->name, "watchpoint")) {
		/* Hits are told of at once in any case. */
		if (*p->name == 'a')
			at->a.provider = "watchpoint";
		read_watch(f, at, w);
	} else if (!strcmp(p->name, "tracepoint")) {
		at->a.function = w->word[1];
		at->a.third = w->word[2];
	} else if (p->most) {
		split_source(w);
		if (w->nr > 2)
			at->a.target = w->word[1];
		if (w->nr > 3)
			at->a.third = w->word[2];
		at->a.function = w->word[w->nr - 1];
		cut_offset(f, at, w->word[w->nr - 1]);
	}
	if (at->a.offset && strstr(p->name, "code"))
		front_fail(f, pos, "%s: is a function, whole", p->name);
	if (at->a.offset && strstr(p->name, "ret"))
		front_fail(f, pos, "a return probe has no offset: it is where the function "
			   "returns to");
	return at;
}

struct attach *attach_from(struct front *f, const char *text, struct pos pos)
{
	struct words w = { .nr = 1 };
	char *at = front_text(f, text, strlen(text));

	w.word[0] = at;
	for (; *at; at++) {
		if (at[0] == ':' && at[1] == ':') {
			at++;
		} else if (*at == ':' && w.nr < WORDS) {
			*at = 0;
			w.word[w.nr++] = at + 1;
		}
	}
	return read_words(f, &w, pos);
}

struct attach *attach_parse(struct lex *lex)
{
	struct attach *first = NULL, **last = &first;
	struct source *s = &lex->sources[0];
	struct words w;
	struct pos pos;

	for (;;) {
		lex_skip(lex);
		w = split(lex, &pos);
		if (!pos.len)
			front_fail(lex->f, (struct pos){ (uint32_t)s->at, 1 },
				   "a probe is missing here, as in kprobe:vfs_read { ... }");
		*last = read_words(lex->f, &w, pos);
		last = &(*last)->next;
		lex_skip(lex);
		if (s->at >= s->len || s->text[s->at] != ',')
			break;
		s->at++;
	}
	first->needed = !first->next && !strpbrk(first->text, "*?[");
	return first;
}
