/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * work.h - something to do that uses many functions of libc and of sqlite.
 *
 * Owns: the work, and a number that says what came out.
 */
#ifndef KP_LIVE_WORK_H
#define KP_LIVE_WORK_H

#include <dlfcn.h>
#include <fnmatch.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* What of sqlite3.h is used. */
struct sqlite3;
static int (*sqlite3_open)(const char *, struct sqlite3 **);
static int (*sqlite3_exec)(struct sqlite3 *, const char *,
			   int (*)(void *, int, char **, char **), void *,
			   char **);
static int (*sqlite3_close)(struct sqlite3 *);

static inline void work_start(void)
{
	void *lib = dlopen("libsqlite3.so.0", RTLD_NOW);

	if (!lib) {
		printf("not ok work %s\n", dlerror());
		exit(1);
	}
	sqlite3_open = dlsym(lib, "sqlite3_open");
	sqlite3_exec = dlsym(lib, "sqlite3_exec");
	sqlite3_close = dlsym(lib, "sqlite3_close");
}

static void work_add(unsigned long *sum, const char *text)
{
	while (*text)
		*sum = (*sum ^ (unsigned char)*text++) * 0x100000001b3ul;
}

static int work_row(void *sum, int nr, char **values, char **names)
{
	int i;

	for (i = 0; i < nr; i++) {
		work_add(sum, names[i]);
		work_add(sum, values[i] ? values[i] : "NULL");
	}
	return 0;
}

static void work_sql(unsigned long *sum)
{
	static const char *const statements[] = {
		"create table t(a integer primary key, b text, c real)",
		"with recursive n(x) as (select 1 union all select x+1 from n "
		"where x<24) insert into t select x, 'row ' || (x*7%13), x/3.0 "
		"from n",
		"create index i on t(b, c)",
		"select b, count(*), sum(c), avg(a), group_concat(a) from t "
		"group by b having count(*) > 1 order by 2 desc, 1",
		"update t set c = round(c * 1.5, 2), b = upper(b) where a % 3 = 0",
		"select x.a, y.b from t x join t y on x.a = y.a + 1 "
		"where y.b like '%1%' order by x.c limit 5",
		"select printf('%08.3f|%x|%s', c, a, quote(b)), "
		"substr(b, 2, 3), hex(b), length(b), date(a * 86400, 'unixepoch') "
		"from t where c between 2 and 9",
		"begin; delete from t where a > 20; rollback",
		"select max(a), min(c), total(c) from t",
		"select b from t where a in (select a from t where a < 4) "
		"union select 'z' intersect select 'z' order by 1",
		"no such statement",
		"select nothing from nowhere",
	};
	struct sqlite3 *db = NULL;
	char *error;
	size_t i;

	if (sqlite3_open(":memory:", &db)) {
		work_add(sum, "open failed");
		return;
	}
	for (i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		error = NULL;
		sqlite3_exec(db, statements[i], work_row, sum, &error);
		if (error)
			work_add(sum, error);
		/* sqlite3_free() is free() unless it was told otherwise, and
		 * what is left here is a few bytes.
		 */
	}
	sqlite3_close(db);
}

static int work_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void work_strings(unsigned long *sum)
{
	char text[256], *words[32], *save, *word;
	void *tree = NULL;
	size_t nr = 0, i;

	strcpy(text, "the quick brown fox jumps over the lazy dog and then some");
	for (word = strtok_r(text, " ", &save); word && nr < 32;
	     word = strtok_r(NULL, " ", &save))
		words[nr++] = strdup(word);
	qsort(words, nr, sizeof(words[0]), work_compare);
	for (i = 0; i < nr; i++) {
		work_add(sum, words[i]);
		tsearch(&words[i], &tree, work_compare);
		if (strcasestr(words[i], "O") || !fnmatch("[l-q]*", words[i], 0))
			work_add(sum, "match");
	}
	for (i = 0; i < nr; i++) {
		tdelete(&words[i], &tree, work_compare);
		free(words[i]);
	}
}

static void work_numbers(unsigned long *sum)
{
	char text[128];
	struct tm tm = { .tm_year = 99, .tm_mon = 11, .tm_mday = 31 };
	struct random_data state = { 0 };
	char table[64];
	int32_t number;
	wchar_t wide[64];
	long i;

	initstate_r(7, table, sizeof(table), &state);
	for (i = 0; i < 6; i++) {
		random_r(&state, &number);
		snprintf(text, sizeof(text), "%'d %e %.17g %a %-8lx|%5.3s", number,
			 number * 1e-9, strtod("1.25e-3", NULL) * (double)number,
			 (double)number / 3, (long)number, "string");
		work_add(sum, text);
	}
	swprintf(wide, 64, L"%ls %5.1f", L"wide", 2.5);
	wcstombs(text, wide, sizeof(text));
	work_add(sum, text);
	i = sscanf("17 0x1f word 2.5", "%d %lx %100s", &number, &i, text);
	snprintf(text, sizeof(text), "%ld %d %ld", i, number,
		 (long)timegm(&tm));
	work_add(sum, text);
	strftime(text, sizeof(text), "%a %d %b %Y %H:%M:%S", &tm);
	work_add(sum, text);
}

static void work_streams(unsigned long *sum)
{
	char *text = NULL, line[80];
	size_t len = 0;
	regmatch_t found[2];
	regex_t regex;
	FILE *stream = open_memstream(&text, &len);

	fprintf(stream, "key = %d\nname=value%c\n", 42, 'x');
	fputs("last line", stream);
	fclose(stream);
	regcomp(&regex, "^([a-z]+) *= *[0-9]+", REG_EXTENDED | REG_NEWLINE);
	if (!regexec(&regex, text, 2, found, 0)) {
		snprintf(line, sizeof(line), "%d-%d", found[1].rm_so,
			 found[1].rm_eo);
		work_add(sum, line);
	}
	regfree(&regex);
	stream = fmemopen(text, len, "r");
	while (fgets(line, sizeof(line), stream))
		work_add(sum, line);
	fclose(stream);
	free(text);
}

/* The same number each time. */
static unsigned long work(void)
{
	unsigned long sum = 0xcbf29ce484222325ul;

	work_strings(&sum);
	work_numbers(&sum);
	work_streams(&sum);
	work_sql(&sum);
	return sum;
}

#endif
