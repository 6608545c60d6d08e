// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_reader.c - a script at work: the side that knows what it means.
 *
 * Owns: the steps of the reader: compile, begin, read what comes, end.  For a
 * process all of it is done in the jail: its symbols and types are its own work, and
 * so is every byte of the arena.
 */
#include "jail.h"
#include "reader.h"
#include "source.h"
#include "trace_shown.h"
#include "tracing.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* After the duties of the reader's own machine. */
#include "kt_host.h"

#define LOOK_NS 10000000ull		/* between looks into the rings */
#define STEP_US 1000			/* between looks at the other side */
#define PROGRESS_S 2			/* between words while probes are set */
#define OTHERS_SHOWN 3u			/* places of patterns that are refused */

#define ARENAS (1 + TRACING_PROCESSES)

struct reading {
	struct tracing *t;
	struct tracing_names names;
	struct view *views;
	struct trace_script *script;
	struct trace_reader *reader;
	struct shown shown;
	struct kt_vm vms[ARENAS];	/* the kernel's first */
	unsigned int vms_nr;
	uint32_t subjects[ARENAS];	/* of each: which process, or KERNEL */
	uint32_t pids[ARENAS];
	uint32_t refusals_shown[TRACING_PROCESSES];
	/* Of processes that come later. */
	struct trace_script *scripts[TRACING_PROCESSES];
	struct kt_vm late[TRACING_PROCESSES];
};

#define KERNEL UINT32_MAX		/* in place of a process */
#define OWN_WATCH "watched by the engine itself"	/* as host/linux-user's symbols.c has it */

/* ---- compiling -------------------------------------------------------------- */

static void show_error(const struct tracing *t, const struct trace_error *error)
{
	char *shown = trace_error_show(error, t->name, t->text, t->len);

	fprintf(stderr, "%s", shown ? shown : error->text);
	free(shown);
}

static int compile(struct reading *r)
{
	struct tracing *t = r->t;
	struct trace_error error = { 0 };
	struct trace_env env;
	uint32_t i;

	tracing_env(&env, t, &r->names);
	r->script = trace_compile(t->text, t->len, &env, &error);
	for (i = 0; r->script && i < r->script->warnings_nr && !t->args->no_warnings; i++)
		show_error(t, &r->script->warnings[i]);
	if (!r->script) {
		show_error(t, &error);
		return CLI_USAGE;
	}
	if ((t->args->folded || t->args->flame || t->args->calls || t->args->pprof) &&
	    !trace_reader_can_fold(r->script)) {
		cli_error("--folded, --calls, --flame and --pprof show maps with stacks as keys, as in @[ustack] = count(); the script has none");
		return CLI_USAGE;
	}
	return CLI_OK;
}

/* "struct item *" */
static void print_type(const struct ctype *type)
{
	const char *name = type && type->name ? type->name : "";
	int depth = 0;

	while (type && type->kind == CTYPE_POINTER && !*name && depth < 8) {
		depth++;
		type = type->to;
		name = type && type->name ? type->name : "";
	}
	printf("    %s %.*s", *name ? name : depth ? "void" : "?", depth,
	       "********");
}

/* What lies between the colons of a probe's name: of a system call as it is asked for. */
static void name_call(struct trace_attach *attach, const char *name,
		      char words[256])
{
	char *colon;

	snprintf(words, 256, "%s", name);
	attach->provider = strsep(&words, ":");
	attach->function = words ? words : "";
	colon = words ? strchr(words, ':') : NULL;
	if (!colon)
		return;
	*colon = 0;
	attach->third = colon + 1;
}

static bool is_call(const char *name)
{
	return !strncmp(name, "tracepoint:", 11) || !strncmp(name, "sys", 3);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Of several processes each has its own; they are listed once. */
static bool is_listed(const struct reading *r, const struct trace_probe *p)
{
	static void *names;
	char **found = r->t->processes_nr > 1 ? tsearch(p->name, &names, by_name) : NULL;

	return found && *found != p->name;
}

/* The probes, each with its arguments where they are known. */
static void list(struct reading *r)
{
	const struct trace_arg *args;
	const char *why, *source;
	struct trace_env env;
	char words[256];
	uint32_t i, k, nr;

	tracing_env(&env, r->t, &r->names);
	for (i = 0; i < r->script->probes_nr; i++) {
		const struct trace_probe *p = &r->script->probes[i];
		const struct trace_place place = { .process = p->process };
		struct trace_attach attach = {
			.target = "", .function = p->function, .third = "",
			.provider = p->kernel ? "kprobe" : "uprobe",
			.place = &place,
		};

		/* One that is made in many places is one. */
		if (is_call(p->name) && i && !strcmp(p[-1].name, p->name))
			continue;
		if (is_listed(r, p))
			continue;
		if (is_call(p->name))
			name_call(&attach, p->name, words);
		source = demangle(p->function);
		printf("%s%s%s\n", p->name, source ? "  // " : "",
		       source ? source : "");
		nr = 0;
		args = *p->function ? env.args(env.arg, &attach, false, &nr, &why)
				    : NULL;
		for (k = 0; args && k < nr; k++) {
			print_type(args[k].type);
			printf("%s\n", args[k].name);
		}
	}
}

static uint32_t subject_of(const struct trace_probe *p)
{
	return p->kernel ? KERNEL : p->process;
}

/* The program as one subject gets it: the probes of others are elsewhere. */
static int put_program(struct reading *r, const struct trace_script *script,
		       uint32_t subject, struct kt_vm *vm)
{
	unsigned int piece = subject == KERNEL ? TRACING_KERNEL :
						 TRACING_PROCESS + subject;
	const struct kt_program *program = script->program;
	uint8_t *bytes = tracing_piece(r->t, piece);
	struct kt_program *copy = (void *)bytes;
	struct kt_probe *probes;
	const char *why;
	uint32_t i;

	if (program->size > TRACING_PROGRAM_MAX) {
		cli_error("the script has too many probes");
		return CLI_REFUSED;
	}
	memcpy(bytes, program, program->size);
	probes = (void *)(bytes + copy->probes);
	for (i = 0; i < copy->probes_nr; i++)
		if (subject_of(&script->probes[i]) != subject)
			probes[i].kind = KT_PROBE_ELSEWHERE;
	copy->sum = kt_sum(bytes + KT_SUM_END, copy->size - KT_SUM_END);
	why = kt_check(bytes, copy->size, vm);
	if (why) {
		cli_error("%s: compiled to what is not a program: %s", r->t->name,
			  why);
		return CLI_FAILED;
	}
	if (subject == KERNEL)
		r->t->mail->arena_len = vm->layout.size;
	else
		r->t->mail->of[subject].arena_len = vm->layout.size;
	r->t->mail->len[piece] = copy->size;
	if (subject != KERNEL && r->names.programs[subject])
		tracing_later_table(r->t, &r->names.processes[subject], script, subject);
	if (subject != KERNEL && ((struct kt_program *)script->program)->stacks &&
	    r->names.programs[subject])
		tracing_tables(r->t, &r->names.processes[subject],
			       TRACING_UNWIND + subject);
	return CLI_OK;
}

static void add_vm(struct reading *r, uint32_t subject)
{
	if (subject != KERNEL)
		r->pids[r->vms_nr] = (uint32_t)r->t->processes[subject].pid;
	r->subjects[r->vms_nr++] = subject;
}

static int hand_over(struct reading *r, uint32_t subject)
{
	int status = put_program(r, r->script, subject, &r->vms[r->vms_nr]);

	if (!status)
		add_vm(r, subject);
	return status;
}

static bool has_places(const struct trace_script *script, uint32_t process)
{
	uint32_t i;

	for (i = 0; i < script->probes_nr; i++)
		if (subject_of(&script->probes[i]) == process)
			return true;
	return false;
}

static int hand_to_process(struct reading *r, uint32_t process)
{
	struct tracing *t = r->t;

	/* What it executes may have some. */
	if (t->processes_nr > 1 && !t->args->follow &&
	    !has_places(r->script, process)) {
		cli_error("process %d has none of the script's probes",
			  (int)t->processes[process].pid);
		return CLI_OK;
	}
	return hand_over(r, process);
}

static int hand_all_over(struct reading *r)
{
	struct tracing *t = r->t;
	int status = CLI_OK;
	uint32_t i;

	if (t->kernel)
		status = hand_over(r, KERNEL);
	for (i = 0; i < t->processes_nr && t->process && !status; i++)
		if (r->names.programs[i])
			status = hand_to_process(r, i);
	/* Nothing but blocks: they run here. */
	if (!status && !r->vms_nr)
		status = hand_over(r, 0);
	if (!status)
		tracing_say(t, TRACING_COMPILED);
	return status;
}

/* ---- processes that come later --------------------------------------------------- */

/* The script again, with all places that there are now; what is wrong is known. */
static bool compile_late(struct reading *r, unsigned int i)
{
	struct trace_error error = { 0 };
	struct trace_env env;

	tracing_env(&env, r->t, &r->names);
	r->scripts[i] = trace_compile(r->t->text, r->t->len, &env, &error);
	if (r->scripts[i])
		return !put_program(r, r->scripts[i], i, &r->late[i]);
	show_error(r->t, &error);
	return false;
}

static void receive(struct reading *r, unsigned int i)
{
	struct tracing *t = r->t;

	t->processes[i].pid = t->mail->of[i].pid;
	if (i >= t->processes_nr)
		t->processes_nr = i + 1;
	if (jail_view(&r->views[i], t->processes[i].pid, i, t->mail->of[i].program) ||
	    tracing_names_process(&r->names, i, &r->views[i]) ||
	    !compile_late(r, i))
		t->mail->len[TRACING_PROCESS + i] = 0;
	else
		shown_add(&r->shown, i);
	tracing_take_step(t, i, TRACING_STEP_COMPILED);
}

static void begin_late(struct reading *r, unsigned int i)
{
	struct tracing *t = r->t;

	r->vms[r->vms_nr] = r->late[i];
	kt_arena_begin(&r->vms[r->vms_nr],
		       (uint8_t *)t->processes[i].share + t->mail->of[i].arena,
		       kt_host_nsecs());
	r->pids[r->vms_nr] = (uint32_t)t->processes[i].pid;
	if (trace_reader_add(r->reader, r->scripts[i]))
		add_vm(r, i);
	else
		cli_error("process %d has different types from earlier ones, so its maps cannot be added to theirs",
			  (int)t->processes[i].pid);
	tracing_take_step(t, i, TRACING_STEP_BEGUN);
}

/* True: there may soon be more to do. */
static bool receive_all(struct reading *r)
{
	bool busy = false;
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES && r->t->follows; i++) {
		uint32_t step = tracing_step(r->t, i);

		if (step == TRACING_HERE)
			receive(r, i);
		else if (step == TRACING_STEP_READY)
			begin_late(r, i);
		busy |= step > TRACING_NOBODY && step < TRACING_DONE;
	}
	return busy;
}

/* ---- reading -------------------------------------------------------------------- */

static bool wait_for(struct reading *r, enum tracing_state state)
{
	uint32_t now;

	while ((now = tracing_state(r->t)) < state)
		usleep(STEP_US);
	return now == state;
}

/*
 * Who waits for many probes is told that they are being set.  All may be over already:
 * what was refused is known nevertheless.
 */
static void wait_for_probes(struct reading *r)
{
	const uint64_t since = kt_host_nsecs();
	uint64_t seconds, said = 0;

	while (tracing_state(r->t) < TRACING_LOADED) {
		usleep(STEP_US);
		seconds = (kt_host_nsecs() - since) / 1000000000;
		if (seconds < said + PROGRESS_S)
			continue;
		said = seconds;
		fprintf(stderr, "kprobes: setting %u probes, for %u s now\n",
			r->script->probes_nr, (unsigned int)seconds);
	}
}

static uint32_t pid_of(const struct reading *r, uint32_t probe)
{
	return (uint32_t)r->t->processes[r->script->probes[probe].process].pid;
}

/* " at FUNCTION+8": a system call's probe is one of many. */
static const char *where_of(struct reading *r, uint32_t probe,
			    char where[600])
{
	const struct kt_program *program = r->script->program;
	const struct kt_probe *p = (void *)((char *)program + program->probes);

	if (r->script->probes[probe].kernel ||
	    !is_call(r->script->probes[probe].name) ||
	    !shown_symbol(&r->shown, false, pid_of(r, probe), p[probe].addr,
			  TRACE_WITH_OFFSET, where + 4, 590))
		return "";
	memcpy(where, " at ", 4);
	return where;
}

/* Says it of a probe.  False: that was named by itself, so it must be there. */
static bool show_refusal(struct reading *r, uint32_t probe, int err,
			 const char *reason, uint32_t *others)
{
	const struct trace_probe *p;
	char process[48] = "", where[600];

	if (probe >= r->script->probes_nr)
		return true;
	p = &r->script->probes[probe];
	if (!p->kernel && p->process == TRACING_NOWHERE)
		return true;
	/* Calls by which the engine itself hears of the program are no loss to who asks for all. */
	if (!p->needed && is_call(p->name) && !r->t->args->verbose &&
	    !strncmp(reason, OWN_WATCH, sizeof(OWN_WATCH) - 1))
		return true;
	if (!p->kernel && r->t->processes_nr > 1)
		snprintf(process, sizeof(process), "process %d: ",
			 (int)pid_of(r, probe));
	if (p->needed || (*others)++ < OTHERS_SHOWN)
		cli_error("%s%s%s: %s", process, p->name,
			  where_of(r, probe, where), reason[0] ? reason :
			  strerror(err > 0 && err < 4096 ? err : EINVAL));
	return !p->needed;
}

static bool show_process(struct reading *r, uint32_t process, uint32_t *others)
{
	const struct kt_share *share = r->t->processes[process].share;
	uint32_t nr = share->refusals_nr, i;
	bool good = true;

	/* More may come with objects that are opened later. */
	for (i = r->refusals_shown[process]; i < nr && i < KT_REFUSALS_MAX; i++) {
		r->refusals_shown[process] = i + 1;
		struct kt_refusal one = share->refusals[i];

		one.reason[sizeof(one.reason) - 1] = 0;
		good &= show_refusal(r, one.probe, one.error, one.reason, others);
	}
	return good;
}

/* "NUMBER ERRNO REASON" a line. */
static bool show_kernel(struct reading *r, uint32_t *others)
{
	char *line, *next, *reason;
	unsigned int probe;
	bool good = true;
	int err;

	for (line = r->t->mail->refusals; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		reason = strchr(line, ' ');
		reason = reason ? strchr(reason + 1, ' ') : NULL;
		if (reason && sscanf(line, "%u %d", &probe, &err) == 2)
			good &= show_refusal(r, probe, err, reason + 1, others);
	}
	return good;
}

/*
 * Why places have no probe; false: one that was named by itself has none, in any
 * process.
 */
static bool show_refusals(struct reading *r)
{
	bool good = true, any = !r->t->process;
	uint32_t others = 0, i;

	if (r->t->kernel)
		good = show_kernel(r, &others);
	for (i = 0; i < r->vms_nr && r->t->process; i++)
		if (r->subjects[i] != KERNEL)
			any |= show_process(r, r->subjects[i], &others);
	good &= any;
	if (others > OTHERS_SHOWN)
		cli_error("more than %u places have no probe; these are the first",
			  OTHERS_SHOWN);
	return good;
}

static void ask_for_end(struct reading *r)
{
	__atomic_store_n(&r->t->mail->wants_end, 1, __ATOMIC_RELEASE);
}

static void end_it(struct reading *r)
{
	ask_for_end(r);
	wait_for(r, TRACING_OVER);
}

/* True: all tables that were asked for are there. */
static bool show_top(struct reading *r, bool last)
{
	struct tracing *t = r->t;

	if (!t->live)
		return false;
	t->top.rows = t->mail->rows;
	t->top.columns = t->mail->columns;
	return trace_reader_top(r->reader, &t->top, last);
}

/*
 * What there is by now, as it is shown at the end, unless the script says itself what is to
 * be done; the tables of top come by themselves.
 */
static void show_asked(struct reading *r, uint32_t *shown)
{
	uint32_t shows = __atomic_load_n(&r->t->mail->shows, __ATOMIC_RELAXED), i;
	bool own = false;

	if (shows == *shown || r->t->live)
		return;
	for (i = 0; i < r->script->blocks_nr; i++)
		own |= r->script->blocks[i].kind == TRACE_SIGNAL;
	for (; own && *shown != shows; ++*shown)
		trace_reader_blocks(r->reader, TRACE_SIGNAL);
	*shown = shows;
	if (own)
		return;
	if (r->t->args->folded)
		trace_reader_folded(r->reader, stdout);
	else if (r->t->args->calls)
		trace_reader_tree(r->reader, stdout);
	else
		trace_reader_maps(r->reader);
}

static void read_all(struct reading *r)
{
	uint32_t shown = 0;
	uint64_t due;
	bool ended;

	while (tracing_state(r->t) < TRACING_OVER) {
		due = trace_reader_next(r->reader);
		if (receive_all(r))
			due = due < STEP_US * 1000 ? due : STEP_US * 1000;
		usleep((due < LOOK_NS ? due : LOOK_NS) / 1000);
		shown_look(&r->shown, false);
		trace_reader_blocks(r->reader, TRACE_INTERVAL);
		ended = trace_reader_drain(r->reader, false);
		ended |= show_top(r, false);
		show_asked(r, &shown);
		fflush(stdout);
		if (ended) {
			trace_reader_stop(r->reader);
			end_it(r);
			return;
		}
	}
	trace_reader_drain(r->reader, true);
}

static void show_maps(struct reading *r)
{
	const struct cli_args *args = r->t->args;

	if (args->flame && r->t->stream)
		trace_reader_flame(r->reader, strchr(r->t->text, '\n') ? r->t->name :
				   r->t->text, r->t->stream);
	if (args->pprof && r->t->stream)
		trace_reader_pprof(r->reader, r->t->stream);
	if (r->t->live)
		show_top(r, true);
	else if (args->folded)
		trace_reader_folded(r->reader, stdout);
	else if (args->calls)
		trace_reader_tree(r->reader, stdout);
	else if (!args->flame && !args->pprof)
		trace_reader_last_maps(r->reader);
}

static bool has_place(const struct trace_script *script, const char *name)
{
	uint32_t i;

	for (i = 0; script && i < script->probes_nr; i++)
		if (script->probes[i].process != TRACING_NOWHERE &&
		    !strcmp(script->probes[i].name, name))
			return true;
	return false;
}

/* A program's file was named, which the command may execute: it has not, or has no such place. */
static void show_nowhere(struct reading *r)
{
	uint32_t i, k;

	if (!r->t->follows)
		return;
	for (i = 0; i < r->script->probes_nr; i++) {
		const struct trace_probe *p = &r->script->probes[i];

		if (p->kernel || p->process != TRACING_NOWHERE)
			continue;
		for (k = 0; k < TRACING_PROCESSES; k++)
			if (has_place(r->scripts[k], p->name))
				break;
		if (k == TRACING_PROCESSES)
			cli_error("%s: no program that was traced had this place when it began%s",
				  p->name, r->t->args->follow ? "" :
				  "; what is not executed in the command's own place is traced with -f");
	}
}

static void end(struct reading *r)
{
	uint32_t others = 0;
	unsigned int i;

	show_nowhere(r);
	for (i = 0; i < r->vms_nr && r->t->process; i++) {
		if (r->subjects[i] == KERNEL || !r->names.programs[r->subjects[i]])
			continue;
		show_process(r, r->subjects[i], &others);
		tracing_later_say(r->t, &r->names.processes[r->subjects[i]], r->subjects[i]);
	}
	shown_look(&r->shown, true);
	trace_reader_blocks(r->reader, TRACE_END);
	trace_reader_drain(r->reader, true);
	show_maps(r);
	trace_reader_losses(r->reader, stderr);
	fflush(stdout);
}

/* The arenas in the order of the programs: the kernel's first. */
static int map_arenas(struct reading *r)
{
	struct tracing *t = r->t;
	uint64_t len = t->kernel ? t->mail->arena_len : t->mail->of[0].arena_len;
	unsigned int i;
	void *arena;

	if (t->kernel) {
		arena = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			     t->kernel_file, 0);
		if (arena == MAP_FAILED) {
			cli_error("the kernel's memory cannot be mapped: %s",
				  strerror(errno));
			return CLI_FAILED;
		}
		kt_arena_begin(&r->vms[0], arena, 0);
	}
	for (i = t->kernel; i < r->vms_nr && t->process; i++) {
		uint32_t process = r->subjects[i];

		kt_arena_begin(&r->vms[i],
			       (uint8_t *)t->processes[process].share +
			       t->mail->of[process].arena, kt_host_nsecs());
	}
	if (!t->kernel && !t->process) {
		arena = calloc(1, len);
		if (!arena)
			return CLI_FAILED;
		kt_arena_begin(&r->vms[0], arena, kt_host_nsecs());
	}
	return CLI_OK;
}

/* Nothing will come any more: there is only what runs at the begin and at the end. */
static bool is_over_at_once(const struct reading *r)
{
	const struct trace_script *script = r->script;
	uint32_t i;

	for (i = 0; i < script->blocks_nr; i++)
		if (script->blocks[i].kind != TRACE_BEGIN && script->blocks[i].kind != TRACE_END)
			return false;
	return !script->probes_nr && !r->t->args->command;
}

static int begin(struct reading *r)
{
	struct tracing *t = r->t;
	struct trace_symbols symbols = { 0 };
	int status = map_arenas(r);

	if (status)
		return status;
	shown_symbols(&r->shown, &symbols);
	symbols.syscall = tracing_call_name;
	tracing_outside(&symbols, t);
	r->reader = trace_reader_new(r->script, r->vms, r->pids, r->vms_nr, &symbols,
				     t->json ? TRACE_JSON : TRACE_TEXT, stdout);
	if (!r->reader)
		return CLI_FAILED;
	if (t->file >= 0) {
		t->stream = tracing_stream(t);
		if (!t->stream)
			return CLI_FAILED;
	}
	if (t->args->perfetto && !trace_reader_timeline(r->reader, t->stream))
		return CLI_FAILED;
	if (!t->live)
		trace_reader_hold(r->reader);
	trace_reader_blocks(r->reader, TRACE_BEGIN);
	if (trace_reader_drain(r->reader, true))
		ask_for_end(r);
	show_top(r, false);
	fflush(stdout);
	tracing_say(t, TRACING_BEGUN);
	return CLI_OK;
}

/* From here on hits count; what BEGIN has printed follows. */
static void tell_attached(struct reading *r)
{
	const struct cli_args *args = r->t->args;

	if (!args->folded && !r->t->live && !args->quiet)
		trace_reader_attached(r->reader, r->script->probes_nr);
	trace_reader_let_go(r->reader);
}

static int work(struct reading *r)
{
	int status;

	if (!wait_for(r, TRACING_READY))
		return CLI_FAILED;
	status = begin(r);
	if (status)
		return status;
	wait_for_probes(r);
	/* Acquire, with the state: what it says came before OVER. */
	if (!show_refusals(r) || __atomic_load_n(&r->t->mail->failed, __ATOMIC_ACQUIRE)) {
		trace_reader_forget(r->reader);
		end_it(r);
		return CLI_REFUSED;
	}
	tell_attached(r);
	if (r->t->args->dry_run || is_over_at_once(r))
		end_it(r);
	else
		read_all(r);
	end(r);
	if (r->t->stream)
		fclose(r->t->stream);
	return trace_reader_status(r->reader);
}

/* In the jail.  One whose files cannot be read is left out, which is said. */
static int read_processes(struct reading *r, const struct view *views)
{
	int status, one;
	unsigned int i, nr = 0;

	demangle_begin();
	status = jail_close(true);
	for (i = 0; i < r->t->processes_nr && !(status && !i); i++) {
		one = tracing_names_process(&r->names, i, &views[i]);
		nr += !one;
		status = one ? one : status;
	}
	return nr ? CLI_OK : status;
}

int tracing_read(struct tracing *t, struct view *views)
{
	static struct reading r;
	int status;

	r.t = t;
	r.views = views;
	status = tracing_names_begin(&r.names, t);
	tracing_outside_begin(t);
	shown_guard();
	if (!status && t->process)
		status = read_processes(&r, views);
	if (!status)
		status = compile(&r);
	if (!status && t->lists)
		list(&r);
	if (!status && !t->lists)
		status = hand_all_over(&r);
	if (!status && !t->lists) {
		shown_begin(&r.shown, &r.names, r.subjects);
		status = work(&r);
		shown_end(&r.shown);
	}
	trace_reader_free(r.reader);
	trace_script_free(r.script);
	tracing_names_end(&r.names);
	return status;
}
