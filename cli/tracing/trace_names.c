// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_names.c - what the names in a script mean, in a target.
 *
 * Owns: the functions of struct trace_env: the places of an attach point, as current addresses
 * of functions; and the choice of types and arguments (trace/names), the kernel's or the
 * process's.
 */
#include "links.h"
#include "source.h"
#include "trace_events.h"
#include "trace_syscalls.h"
#include "tracing.h"

#include "names/names.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- places --------------------------------------------------------------------- */

struct search {
	struct symbols *s;
	const struct trace_attach *attach;
	const char *owner;		/* an object's name; "": any */
	emit_fn emit;
	void *to;
	unsigned int nr;
	bool several;			/* one name's: the engine may not know all */
	uint32_t process;
};

/* "uprobe:FILE.c:12", "uprobe:OBJECT:FILE.c:12"; NULL: no file of the source is meant. */
static const char *source_of(const struct trace_attach *attach)
{
	if (attach->provider[0] != 'u')
		return NULL;
	/* bpftrace has the language there. */
	if (!strcmp(attach->third, "c") || !strcmp(attach->third, "cpp"))
		return NULL;
	if (attach->third[0] && strcmp(attach->provider, "usdt"))
		return attach->third;
	return symbols_is_source(attach->target, strlen(attach->target)) ? attach->target : NULL;
}

/* Does it select the kernel's own code, which is not probed? */
static bool selects_vdso(const struct symbols *s, const struct symbol *sym)
{
	char name[256];
	size_t i;

	snprintf(name, sizeof(name), "__vdso_%s", sym->name);
	for (i = 0; i < s->nr; i++)
		if (s->modules[s->all[i].module].vdso && !strcmp(s->all[i].name, name))
			return true;
	return false;
}

static void found(struct search *search, const struct symbol *sym, uint64_t addr);

/* Then its calls are probed where each object makes them: at the linker's stub. */
static void found_stubs(struct search *search, const struct symbol *of)
{
	const struct symbols *s = search->s;
	unsigned int before = search->nr;
	char name[256];
	size_t i;

	snprintf(name, sizeof(name), "%s@plt", of->name);
	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->all[i].name, name) && !symbols_is_engine(s, &s->all[i]))
			found(search, &s->all[i], s->all[i].addr);
	if (search->nr != before)
		cli_error("%s selects the vdso's, which belongs to the kernel: its calls through the linker's stubs are probed instead, others are not seen",
			  of->name);
}

static void found(struct search *search, const struct symbol *sym,
		  uint64_t addr)
{
	const struct trace_attach *attach = search->attach;
	struct trace_place place = {
		.addr = addr, .function = sym ? sym->name : "",
		.kernel = search->s->kind == SYMBOLS_KERNEL,
		.process = search->process, .one_of_many = search->several,
	};
	char name[1024], symbol[32];
	unsigned int before = search->nr;
	int len;

	if (sym && sym->indirect && !place.kernel && search->s->modules[sym->module].later) {
		cli_error("%s chooses a function when %s is loaded: it is not probed in what is opened later; name the function that it chooses",
			  sym->name, search->s->modules[sym->module].label);
		return;
	}
	if (sym && sym->indirect && !place.kernel && addr == sym->addr &&
	    selects_vdso(search->s, sym)) {
		found_stubs(search, sym);
		if (search->nr != before)
			return;
	}
	len = snprintf(name, sizeof(name), "%s:%s%s%s%s%s", attach->provider,
		       attach->target, attach->target[0] ? ":" : "",
		       attach->third, attach->third[0] ? ":" : "",
		       sym ? sym->name : attach->function);
	if (sym && addr != sym->addr && len < (int)sizeof(name))
		snprintf(name + len, sizeof(name) - (size_t)len, "+%llu",
			 (unsigned long long)(addr - sym->addr));
	place.name = name;
	if (sym && sym->indirect && !place.kernel) {
		/* The engine asks it what it selects: this one, of all of its name. */
		snprintf(symbol, sizeof(symbol), "0x%llx()", (unsigned long long)sym->addr);
		place.symbol = symbol;
		place.offset = (uint32_t)(addr - sym->addr);
		place.addr = 0;
	}
	search->emit(search->to, &place);
	search->nr++;
}

static void take_one(void *arg, const struct symbol *sym, uint64_t addr)
{
	struct search *search = arg;

	/* By an address that it is called by, not by what it is in. */
	found(search, search->attach->is_address && *search->attach->target ? NULL : sym, addr);
}

static void count_one(void *arg, const struct symbol *sym, uint64_t addr)
{
	(void)sym;
	(void)addr;
	++*(unsigned int *)arg;
}

/* OWNER:FILE.c:NAME+OFFSET, as the command line has it.  NULL: no memory. */
static char *place_of(const struct trace_attach *attach)
{
	const char *source = source_of(attach), *owner = attach->target;
	char *where;
	int len;

	owner = source == owner ? "" : owner;
	source = source ? source : "";
	len = asprintf(&where, "%s%s%s%s%s", owner, *owner ? ":" : "", source, *source ? ":" : "",
		       attach->function);
	if (len < 0)
		return NULL;
	if (attach->offset && attach->is_address) {
		free(where);
		len = asprintf(&where, "%s%s0x%llx", owner, *owner ? ":" : "",
			       strtoull(attach->function, NULL, 0) + attach->offset);
	} else if (attach->offset) {
		char *plain = where;

		len = asprintf(&where, "%s+%llu", plain, (unsigned long long)attach->offset);
		free(plain);
	}
	return len < 0 ? NULL : where;
}

/* All that are meant; which others there are is said. */
static int find_functions(struct tracing_names *n, struct symbols *s, uint32_t process,
			  const struct trace_attach *attach,
			  emit_fn emit, void *to, const char **why)
{
	struct search search = {
		.s = s, .attach = attach, .emit = emit, .to = to, .process = process,
	};
	char *where = place_of(attach);
	const char *elsewhere = NULL;
	unsigned int nr = 0;
	int err;

	(void)n;
	*why = "out of memory";
	if (!where)
		return -ENOMEM;
	err = symbols_find_all(s, where, count_one, &nr, &elsewhere);
	*why = s->error;
	search.several = nr > 1 && !strpbrk(where, "*?[");
	if (!err)
		symbols_find_all(s, where, take_one, &search, &elsewhere);
	if (elsewhere && !attach->target[0])
		cli_error("%s: several objects have a function of this name, and the first one's is probed; %s:%s is another",
			  attach->function, elsewhere, attach->function);
	free(where);
	return err;
}

/* ---- lines of the source --------------------------------------------------------- */

static bool is_in_owned(const struct search *search, uint64_t addr)
{
	const struct symbols *s = search->s;
	const Dwfl_Module *module = dwfl_addrmodule(s->dwfl, addr);
	unsigned int i;

	for (i = 0; module && i < s->modules_nr; i++)
		if (s->modules[i].dwfl == module)
			return *search->owner ? symbols_module_owned(&s->modules[i], search->owner) :
						!s->modules[i].later;
	return false;
}

static void take_line(void *arg, const struct names_line *line)
{
	struct search *search = arg;
	struct trace_place place = {
		.addr = line->addr, .function = line->function,
		.process = search->process,
	};
	char name[1024];

	if (*search->owner && !is_in_owned(search, line->addr))
		return;
	snprintf(name, sizeof(name), "%s:%s%s%s:%d", search->attach->provider,
		 search->attach->target, search->attach->third[0] ? ":" : "",
		 search->attach->third, line->line);
	place.name = name;
	search->emit(search->to, &place);
	search->nr++;
}

/* "file.c:123" */
static bool is_line(const struct trace_attach *attach)
{
	return source_of(attach) &&
	       strspn(attach->function, "0123456789") == strlen(attach->function);
}

/* The one whose arguments are asked for. */
static uint32_t process_of(const struct trace_attach *attach)
{
	return attach->place && attach->place->process != TRACING_NOWHERE ?
		       attach->place->process : 0;
}

/* What has a name at that one of the line's places. */
static const struct trace_arg *line_args(struct tracing_names *n,
					 const struct trace_attach *attach,
					 uint32_t *nr, const char **why)
{
	struct names_place place = { .function = "", .addr = attach->place->addr };
	const struct symbol *fn;

	fn = symbols_at(&n->processes[process_of(attach)], place.addr);
	if (fn) {
		place.function = fn->name;
		place.offset = place.addr - fn->addr;
	}
	return names_args(n->programs[process_of(attach)], &place, nr, why);
}

static int find_lines(struct tracing_names *n, uint32_t process,
		      const struct trace_attach *attach,
		      emit_fn emit, void *to, const char **why)
{
	struct search search = { .attach = attach, .emit = emit, .to = to,
				 .process = process };

	search.s = &n->processes[process];
	search.owner = attach->third[0] ? links_last_part(attach->target) : "";
	return names_lines(n->programs[process], source_of(attach), atoi(attach->function),
			   take_line, &search, why) > 0 && search.nr ? 0 : -ENOENT;
}

/* ---- code that can get at a type -------------------------------------------------- */

/* "code:@conn" */
static bool is_type(const struct trace_attach *attach)
{
	return !strcmp(attach->provider, "code") && *attach->function == '@';
}

static void take_user(void *arg, const struct names_line *line)
{
	struct search *search = arg;
	struct trace_place place = {
		.addr = line->addr, .function = line->function,
		.process = search->process, .one_of_many = true,
	};
	char name[1024];

	if (line->addr >= KT_LATER_BASE)
		return;
	snprintf(name, sizeof(name), "code:%s", line->function);
	place.name = name;
	search->emit(search->to, &place);
}

static int find_users(struct tracing_names *n, uint32_t process,
		      const struct trace_attach *attach, emit_fn emit, void *to,
		      const char **why)
{
	struct search search = { .attach = attach, .emit = emit, .to = to,
				 .process = process };

	return names_users(n->programs[process], attach->function + 1, take_user,
			   &search, why) > 0 ? 0 : -ENOENT;
}

/* ---- probes of a program's own ----------------------------------------------------- */

struct usdt_search {
	struct search search;
	struct tracing *t;		/* NULL: only the arguments are wanted */
	struct names_usdt found;	/* args NULL: none */
};

static bool is_usdt(const struct trace_attach *attach,
		    const struct names_usdt *usdt)
{
	const char *other = links_file(attach->target);
	bool object = !attach->target[0] || symbols_file_is(usdt->object, attach->target) ||
		      (other && symbols_file_is(usdt->object, other));

	if (fnmatch(attach->third, usdt->name, 0))
		return false;
	/* "usdt:A:NAME": A is the file, or the provider. */
	if (!attach->function[0])
		return object || !fnmatch(attach->target, usdt->provider, 0);
	return object && !fnmatch(attach->function, usdt->provider, 0);
}

/* Who looks is counted in a word of the program's: it may do nothing for nobody. */
static void note_semaphore(struct tracing_semaphores *all, struct kt_later *later,
			   uint64_t addr)
{
	uint32_t i;

	/* In what is opened later the module in the process counts. */
	for (i = 0; i < later->semaphores_nr && later->semaphores[i] != addr;)
		i++;
	if (addr && i == later->semaphores_nr && i < KT_LATER_SEMAPHORES)
		later->semaphores[later->semaphores_nr++] = addr;
	if (addr >= KT_LATER_BASE)
		return;
	for (i = 0; i < all->nr; i++)
		if (all->at[i] == addr)
			return;
	if (addr && i < TRACING_SEMAPHORES)
		all->at[all->nr++] = addr;
}

static void take_usdt(void *arg, const struct names_usdt *usdt)
{
	struct usdt_search *u = arg;
	struct trace_place place = {
		.addr = usdt->addr, .function = usdt->name,
		.process = u->search.process,
	};
	char name[512];

	if (!is_usdt(u->search.attach, usdt))
		return;
	if (usdt->addr >= KT_LATER_BASE && !u->search.attach->target[0])
		return;
	if (u->search.attach->place && u->search.attach->place->addr != usdt->addr)
		return;
	u->found = *usdt;
	if (!u->t)
		return;
	snprintf(name, sizeof(name), "usdt:%s:%s:%s", usdt->object,
		 usdt->provider, usdt->name);
	place.name = name;
	note_semaphore(&u->t->mail->of[place.process].semaphores,
		       &u->t->mail->of[place.process].later, usdt->semaphore);
	u->search.emit(u->search.to, &place);
	u->search.nr++;
}

static int find_usdts(struct tracing_names *n, uint32_t process,
		      const struct trace_attach *attach,
		      emit_fn emit, void *to, const char **why)
{
	struct usdt_search u = {
		.search = { .attach = attach, .emit = emit, .to = to,
			    .process = process },
		.t = n->t,
	};

	names_usdts(n->programs[process], take_usdt, &u);
	*why = "the program has no such probe of its own; \"kprobes trace -l 'usdt:*'\" lists them";
	return u.search.nr ? 0 : -ENOENT;
}

static const struct trace_arg *usdt_args(struct tracing_names *n,
					 const struct trace_attach *attach,
					 uint32_t *nr)
{
	struct usdt_search u = { .search = { .attach = attach } };

	names_usdts(n->programs[process_of(attach)], take_usdt, &u);
	*nr = u.found.args_nr;
	return u.found.args;
}

/* ---- all of them ------------------------------------------------------------------- */

static bool has_process(const struct tracing *t)
{
	return t->args->pid || t->args->command;
}

/* Memory is a process's where one is asked; so is what a script names itself. */
static bool is_kernel_memory(const struct tracing *t, const struct trace_attach *attach)
{
	return attach->watch && !has_process(t) && strcmp(attach->function, "*");
}

/* A kernel that is not to be had leaves its tracepoints to the process. */
static bool of_kernel(const struct tracing *t, const struct trace_attach *attach)
{
	return attach->provider[0] == 'k' || !strcmp(attach->provider, "profile") ||
	       is_kernel_memory(t, attach) ||
	       (!strcmp(attach->provider, "tracepoint") &&
		(!t->own_calls || events_are_meant(attach)));
}

/* Several files may have a variable of that name: each is watched. */
static void take_data(void *arg, uint64_t addr, bool exact)
{
	struct search *search = arg;
	struct trace_place place = {
		.addr = addr, .offset = (uint32_t)search->attach->offset,
		.function = search->attach->function, .process = search->process,
	};

	(void)exact;
	place.name = search->owner;
	search->emit(search->to, &place);
}

static void note_exact(void *arg, uint64_t addr, bool exact)
{
	(void)addr;
	*(bool *)arg &= exact;
}

#define NAME_OF_ENGINE 128		/* longer ones are found here */

/* The engine knows the names of data; "*" has no place until the script names it. */
static int find_watched(struct symbols *s, uint32_t process, const struct trace_attach *attach,
			emit_fn emit, void *to, const char **why)
{
	const bool kernel = s->kind == SYMBOLS_KERNEL;
	struct search search = { .s = s, .attach = attach, .emit = emit, .to = to,
				 .process = process };
	struct symbols_variable wanted = {
		.name = attach->function,
		.owner = *attach->target ? attach->target : NULL,
		.source = *attach->third ? attach->third : NULL,
	};
	unsigned int nr = 0;
	bool engine = false, thread_local = false, exact = true;
	struct trace_place place = {
		.offset = (uint32_t)attach->offset, .function = attach->function,
		.kernel = kernel, .process = process,
	};
	char name[1024];
	int len = snprintf(name, sizeof(name), "%s:%s", attach->provider,
			   attach->function);

	if (attach->offset && len < (int)sizeof(name))
		snprintf(name + len, sizeof(name) - (size_t)len, "+%llu",
			 (unsigned long long)attach->offset);
	place.name = name;
	search.owner = name;
	if (wanted.owner && !wanted.source &&
	    symbols_is_source(wanted.owner, strlen(wanted.owner))) {
		wanted.source = wanted.owner;
		wanted.owner = NULL;
	}
	if (!kernel && !attach->is_address && strcmp(attach->function, "*")) {
		nr = symbols_data(s, &wanted, note_exact, &exact, &thread_local);
		engine = symbols_engine_data(s, attach->function);
	}
	if (thread_local) {
		*why = "it is thread-local: each thread has one of its own; watch one's by its address, watchpoint:0xADDRESS:BYTES";
		return -ENOENT;
	}
	if (!nr && (engine || *attach->target)) {
		*why = *attach->target ? "no variable of that object, or file of the source, has this name" :
		       "no variable of the program, or of its libraries, has this name";
		return -ENOENT;
	}
	if (nr > 1)
		cli_error("%s: several variables have this name, and all %u are watched",
			  attach->function, nr);
	/* By its name the engine finds what the linker calls so, first of all objects. */
	if (nr > 1 || engine || !exact || *attach->target ||
	    strlen(attach->function) >= NAME_OF_ENGINE) {
		symbols_data(s, &wanted, take_data, &search, NULL);
		return 0;
	}
	if (attach->is_address)
		place.addr = strtoull(attach->function, NULL, 0);
	else if (strcmp(attach->function, "*"))
		place.symbol = attach->function;
	emit(to, &place);
	return 0;
}

static int find_in(struct tracing_names *n, uint32_t process,
		   const struct trace_attach *attach, emit_fn emit, void *to,
		   const char **why)
{
	if (syscalls_are_meant(attach))
		return syscalls_places(n, process, false, attach, emit, to, why);
	if (!strcmp(attach->provider, "usdt"))
		return find_usdts(n, process, attach, emit, to, why);
	if (attach->watch)
		return find_watched(&n->processes[process], process, attach, emit, to, why);
	if (is_type(attach))
		return find_users(n, process, attach, emit, to, why);
	if (is_line(attach))
		return find_lines(n, process, attach, emit, to, why);
	return find_functions(n, &n->processes[process], process, attach, emit, to,
			      why);
}

static void emit_nowhere(const struct trace_attach *attach, emit_fn emit, void *to)
{
	struct trace_place place = {
		.addr = 1, .function = attach->function, .process = TRACING_NOWHERE,
	};
	char name[1024];

	snprintf(name, sizeof(name), "%s%s%s%s%s%s%s", attach->provider,
		 attach->target[0] ? ":" : "", attach->target,
		 attach->function[0] ? ":" : "", attach->function,
		 attach->third[0] ? ":" : "", attach->third);
	place.name = name;
	emit(to, &place);
}

/* Is its target the file of a program, which a command may execute?  See note_program(). */
static bool is_program(const struct tracing *t, const struct trace_attach *attach)
{
	unsigned int i;

	for (i = 0; i < t->programs_nr; i++)
		if (!strcmp(t->programs[i], attach->target))
			return true;
	return false;
}

/* Of several processes one that has it is enough. */
static int find_in_processes(struct tracing_names *n,
			     const struct trace_attach *attach, emit_fn emit,
			     void *to, const char **why)
{
	int err = -ENOENT, one;
	bool found = false, later;
	uint32_t i;

	for (i = 0; i < n->t->processes_nr; i++) {
		if (!n->programs[i])
			continue;
		one = find_in(n, i, attach, emit, to, why);
		found |= !one;
		err = one ? one : err;
	}
	/* Whom nobody has yet, a program may have that is executed later. */
	later = n->t->args->follow || (n->t->follows && is_program(n->t, attach));
	if (!found && later)
		emit_nowhere(attach, emit, to);
	return found || later ? 0 : err;
}

static int places(void *arg, const struct trace_attach *attach, emit_fn emit,
		  void *to, const char **why)
{
	struct tracing_names *n = arg;
	bool kernel = of_kernel(n->t, attach);

	if (!strcmp(attach->provider, "profile"))
		return events_samples(attach, emit, to, why);
	if (events_are_meant(attach))
		return events_places(n, attach, emit, to, why);
	if (kernel && syscalls_are_meant(attach))
		return syscalls_places(n, 0, true, attach, emit, to, why);
	if (kernel && attach->watch)
		return find_watched(&n->kernel, 0, attach, emit, to, why);
	if (kernel)
		return find_functions(n, &n->kernel, 0, attach, emit, to, why);
	return find_in_processes(n, attach, emit, to, why);
}

/* ---- types, arguments, constants -------------------------------------------------- */

/*
 * One meaning serves all processes.  Where two programs have different ones, none
 * does.
 */
static bool same(const struct ctype *a, const struct ctype *b)
{
	return a->kind == b->kind && a->size == b->size &&
	       a->fields_nr == b->fields_nr;
}

static const struct ctype *type(void *arg, const char *name)
{
	struct tracing_names *n = arg;
	const struct ctype *found = NULL, *one;
	uint32_t i;

	for (i = 0; i < n->t->processes_nr; i++) {
		one = n->programs[i] ? names_type(n->programs[i], name) : NULL;
		if (one && found && !same(one, found)) {
			cli_error("%s is not the same in all processes: ask them one at a time",
				  name);
			return NULL;
		}
		found = found ? found : one;
	}
	if (!found && n->kernel_types)
		found = names_type(n->kernel_types, name);
	return found;
}

static bool constant(void *arg, const char *name, int64_t *value,
		     const struct ctype **type)
{
	struct tracing_names *n = arg;
	const struct names_syscall *call = NULL;
	uint32_t i;

	if (!strncmp(name, "__NR_", 5))
		call = names_syscall(name + 5);
	else if (!strncmp(name, "SYS_", 4))
		call = names_syscall(name + 4);
	*type = NULL;
	if (call) {
		*value = call->number;
		return true;
	}
	for (i = 0; i < n->t->processes_nr; i++)
		if (n->programs[i] && names_constant(n->programs[i], name, value, type))
			return true;
	return n->kernel_types && names_constant(n->kernel_types, name, value, type);
}

const char *tracing_call_name(int32_t number)
{
	const struct names_syscall *call = names_syscall_number(number);

	return call ? call->name : NULL;
}

static const struct trace_arg *args(void *arg, const struct trace_attach *attach,
				    bool returns, uint32_t *nr, const char **why)
{
	struct tracing_names *n = arg;
	struct names_place place = {
		.function = attach->function, .offset = attach->offset,
		.returns = returns,
	};
	bool kernel = of_kernel(n->t, attach);
	struct symbols *s = &n->processes[process_of(attach)];
	struct names *names = kernel ? n->kernel_types :
			      n->programs[process_of(attach)];
	const struct symbol *sym;

	*why = "there is no debugging information";
	if (!names)
		return NULL;
	if (!strcmp(attach->provider, "profile")) {
		*why = "a sample has none";
		return NULL;
	}
	if (events_are_meant(attach))
		return events_args(n, attach, nr, why);
	if (syscalls_are_meant(attach))
		return syscalls_args(n, process_of(attach), kernel, attach, nr);
	if (!strcmp(attach->provider, "usdt"))
		return usdt_args(n, attach, nr);
	if (!kernel && is_line(attach))
		return line_args(n, attach, nr, why);
	if (!kernel && attach->place && attach->place->addr > 1)
		place.addr = attach->place->addr;
	else if (!kernel &&
		 !symbols_find(s, attach->function, &place.addr, &sym))
		place.addr += attach->offset;
	return names_args(names, &place, nr, why);
}

/* It becomes a number in the program, which is the same for all. */
static bool user_address(struct tracing_names *n, const char *name, uint64_t *addr)
{
	static char said[sizeof(((struct symbols_choice *)0)->places)];
	struct symbols_choice choice;
	const struct symbol *sym;
	bool found = false;
	uint64_t one;
	uint32_t i;

	for (i = 0; i < n->t->processes_nr; i++) {
		if (!n->programs[i] ||
		    symbols_choose(&n->processes[i], name, &one, &sym, &choice))
			continue;
		/* A script may be compiled more than once. */
		if (choice.nr > 1 && strcmp(said, choice.places))
			cli_error("uaddr(\"%s\"): several functions have this name, and the first one is meant: %s",
				  name, choice.places);
		strcpy(said, choice.places);
		if (found && one != *addr) {
			cli_error("uaddr(\"%s\") is not the same in all processes: ask them one at a time",
				  name);
			return false;
		}
		*addr = one;
		found = true;
	}
	return found;
}

static bool address(void *arg, const char *name, bool user, uint64_t *addr)
{
	struct tracing_names *n = arg;
	const struct symbol *sym;

	if (user)
		return user_address(n, name, addr);
	return !symbols_find(&n->kernel, name, addr, &sym) ||
	       tracing_kernel_data(name, addr);
}

/* ---- the environment ---------------------------------------------------------- */

int tracing_names_begin(struct tracing_names *n, struct tracing *t)
{
	const char *why;

	memset(n, 0, sizeof(*n));
	n->t = t;
	if (!t->kernel)
		return CLI_OK;
	if (symbols_open_kernel(&n->kernel)) {
		cli_error("%s", n->kernel.error);
		return CLI_DENIED;
	}
	n->kernel_types = names_of_kernel(NULL, true, &why);
	if (!n->kernel_types)
		n->kernel_types = names_of_nothing();
	events_read(n);
	return CLI_OK;
}

int tracing_names_process(struct tracing_names *n, unsigned int process,
			  const struct view *view)
{
	struct symbols *s = &n->processes[process];
	int status = cli_source_read_more(s, view);
	unsigned int i;

	if (status)
		return status;
	n->programs[process] = names_of_dwfl(s->dwfl);
	for (i = 0; n->programs[process] && i < s->modules_nr; i++)
		if (s->modules[i].engine && s->modules[i].owner[0])
			names_leave_out(n->programs[process], s->modules[i].dwfl);
	return CLI_OK;
}

void tracing_names_end(struct tracing_names *n)
{
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES; i++) {
		if (!n->programs[i])
			continue;
		names_free(n->programs[i]);
		symbols_close(&n->processes[i]);
		free(n->calls[i]);
	}
	if (n->kernel_types)
		symbols_close(&n->kernel);
	names_free(n->kernel_types);
	events_free(n);
}

static uint32_t shards(void)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t nr = 1;

	while ((long)nr < processors && nr < KT_SHARDS_MAX)
		nr *= 2;
	return nr;
}

/* All functions of a program may be on top. */
#define KEYS_OF_TOP 65536u

void tracing_env(struct trace_env *env, struct tracing *t,
		 struct tracing_names *n)
{
	*env = (struct trace_env){
		.arg = n, .params = t->params, .params_nr = t->params_nr,
		.options = t->args->options, .options_nr = t->args->options_nr,
		.strlen_max = 64, .keys_max = t->top.title ? KEYS_OF_TOP : 4096,
		.shards = shards(), .user = !t->kernel, .marks = t->args->perfetto,
		.places = places, .type = type, .args = args,
		.constant = constant, .address = address, .name = t->name,
		.child = t->args->command ? (uint32_t)t->processes[0].pid : 0,
	};
	tracing_settings(env);
	if (t->lists_all)
		env->missing = TRACE_MISSING_IGNORE;
}

/* ---- where a script has probes ------------------------------------------------- */

struct subjects {
	struct tracing *t;
	bool kernel, process, calls;
};

/*
 * The jail has no files: a target that is a program's file, not a library's, is noted
 * before.
 */
static void note_program(struct tracing *t, const char *target)
{
	struct stat st;

	if (!strchr(target, '/') || strstr(target, ".so") || stat(target, &st) ||
	    !S_ISREG(st.st_mode) || access(target, X_OK) ||
	    t->programs_nr == TRACING_PROGRAMS)
		return;
	t->programs[t->programs_nr] = strdup(target);
	t->programs_nr += t->programs[t->programs_nr] != NULL;
}

static int note_subject(void *arg, const struct trace_attach *attach,
			emit_fn emit, void *to, const char **why)
{
	static const struct trace_place somewhere = {
		.addr = 1, .name = "", .function = "",
	};
	struct subjects *subjects = arg;

	(void)why;
	note_program(subjects->t, attach->target);
	if (events_are_meant(attach))
		events_note(subjects->t, attach);
	if (*attach->target)
		links_note(attach->target);
	tracing_later_note(subjects->t, attach);
	if (!strcmp(attach->provider, "tracepoint") && !events_are_meant(attach))
		subjects->calls = true;
	else
		*(of_kernel(subjects->t, attach) ? &subjects->kernel
						 : &subjects->process) = true;
	emit(to, &somewhere);
	return 0;
}

/* A script may be all blocks, and ask for the kernel's memory by name. */
static bool note_symbol(void *arg, const char *name, bool user, uint64_t *addr)
{
	struct subjects *subjects = arg;

	(void)name;
	*(user ? &subjects->process : &subjects->kernel) = true;
	*addr = 0;
	return true;
}

void tracing_subjects(struct tracing *t)
{
	struct subjects subjects = { .t = t };
	const struct trace_env env = {
		.arg = &subjects, .strlen_max = 64, .keys_max = 1, .shards = 1,
		.params = t->params, .params_nr = t->params_nr,
		.options = t->args->options, .options_nr = t->args->options_nr,
		.places = note_subject, .address = note_symbol,
	};
	struct trace_error error;

	trace_script_free(trace_compile(t->text, t->len, &env, &error));
	/* Of a process the tracepoints of system calls can be had without a kernel. */
	t->own_calls = subjects.calls && !subjects.kernel && has_process(t) &&
		       !tracing_kernel_is_there();
	t->kernel = subjects.kernel || (subjects.calls && !t->own_calls);
	t->process = subjects.process || t->own_calls;
}
