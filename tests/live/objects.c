/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects.c - probes in shared objects that come and go: K-MOD in a process.
 *
 * Every case runs with jumps and on breakpoints alone.  Where an object was,
 * memory of the test's own is put, so that a write to it shows.
 */
#include "live.h"
#include "processor.h"

#include <dlfcn.h>
#include <kprobes/control.h>
#include <sys/mman.h>

#define ADDR_LEN ((int)(2 * sizeof(long)))	/* digits of an address */

#define PAGE 4096ul

static bool jumps;

static void *open_it(void)
{
	void *lib = dlopen(live_beside("comes.so"), RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		printf("# %s\n", dlerror());
	NEED(lib);
	return lib;
}

static void close_it(void *lib)
{
	NEED(!dlclose(lib));
	NEED(!dlopen(live_beside("comes.so"), RTLD_NOW | RTLD_NOLOAD));
}

typedef int (*work_fn)(int a);

static work_fn function(void *lib, const char *name)
{
	void *fn = dlsym(lib, name);

	NEED(fn);
	return (work_fn)(unsigned long)fn;
}

/* ---- the list -------------------------------------------------------------- */

static struct { const char *want; int at, nr; } search;

static void look(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	search.nr++;
	if (!strcmp(line, search.want))
		search.at = search.nr;
}

/* Which line of the list it is, from 1; or 0. */
static int line_nr(const char *want)
{
	search.want = want;
	search.at = search.nr = 0;
	kprobes_list(look, NULL);
	return search.at;
}

static int gone_line(const struct kprobe *p, char letter, const char *tags)
{
	char line[128];

	snprintf(line, sizeof(line), "%0*lx  %c  0x%lx %s\n", ADDR_LEN,
		 (unsigned long)p->addr, letter, (unsigned long)p->addr, tags);
	return line_nr(line);
}

static int live_line(const struct kprobe *p, const char *place)
{
	char line[128];

	snprintf(line, sizeof(line), "%0*lx  k  %s  comes.so %s\n", ADDR_LEN,
		 (unsigned long)p->addr, place, jumps ? "[OPTIMIZED]" : "");
	return line_nr(line);
}

/* ---- probes ----------------------------------------------------------------- */

static long returns_nr, jprobe_nr;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returns_nr++;
	return 0;
}

static void on_jprobe(int a)
{
	(void)a;
	jprobe_nr++;
	jprobe_return();
}

static struct kprobe p, q;
static struct kretprobe r;
static struct jprobe j;

static void prepare(void)
{
	p = (struct kprobe){ .symbol_name = "comes:comes_work",
			     .pre_handler = live_pre };
	q = p;
	r = (struct kretprobe){ .kp.symbol_name = "comes:comes_work",
				.handler = on_return };
	j = (struct jprobe){ .kp.symbol_name = "comes:comes_other",
			     .entry = (void *)(unsigned long)on_jprobe };
}

/* ---- an object that is coming -------------------------------------------------- */

static struct kprobe early;
static int early_err = 1;
static bool probe_early;

void comes_coming(void);
void comes_coming(void)
{
	if (!probe_early)
		return;
	early = (struct kprobe){ .symbol_name = "comes:comes_early",
				 .pre_handler = live_pre };
	early_err = register_kprobe(&early);
}

static void while_it_comes(void)
{
	long before = live_hits;
	void *lib;

	probe_early = true;
	lib = open_it();
	NEED(!early_err && live_hits == before + 1);
	NEED(*(int *)dlsym(lib, "comes_result") == 6);
	probe_early = false;
	close_it(lib);
	NEED(kprobe_gone(&early));
	unregister_kprobe(&early);
}

/* ---- an object that goes --------------------------------------------------------- */

/* Put memory where text was; it is to stay as it is. */
static unsigned char *occupy(const void *addr)
{
	void *at = (void *)((unsigned long)addr & -PAGE);
	void *mem = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	NEED(mem == at);
	return memset(mem, 0x90, PAGE);
}

static bool is_untouched(const unsigned char *mem)
{
	unsigned long i;

	for (i = 0; i < PAGE && mem[i] == 0x90; i++)
		;
	return i == PAGE;
}

static void switch_everything(void)
{
	kprobes_set_enabled(false);
	kprobes_set_enabled(true);
	kprobes_set_optimization(!jumps);
	kprobes_flush();
	kprobes_set_optimization(jumps);
	kprobes_flush();
}

static void all_kinds_gone(void)
{
	void *lib = open_it();
	work_fn work = function(lib, "comes_work");
	work_fn other = function(lib, "comes_other");
	long before = live_hits;
	unsigned char *mem;

	prepare();
	NEED(!register_kprobe(&p) && !register_kretprobe(&r) &&
	     !register_jprobe(&j));
	kprobes_flush();
	NEED(live_line(&p, "comes_work+0x0"));
	NEED(work(2) == 11 && other(2) == 16);
	NEED(live_hits == before + 1 && returns_nr == 1 && jprobe_nr == 1);
	close_it(lib);
	NEED(kprobe_gone(&p) && kprobe_gone(&r.kp) && kprobe_gone(&j.kp));
	mem = occupy(p.addr);
	NEED(gone_line(&p, 'k', "[GONE]") && gone_line(&r.kp, 'r', "[GONE]") &&
	     gone_line(&j.kp, 'j', "[GONE]"));
	NEED(disable_kprobe(&p) == 0 && disable_kretprobe(&r) == 0 &&
	     disable_jprobe(&j) == 0);
	NEED(gone_line(&p, 'k', "[GONE]"));
	NEED(enable_kprobe(&p) == -EINVAL && enable_kretprobe(&r) == -EINVAL &&
	     enable_jprobe(&j) == -EINVAL);
	NEED(kprobe_gone(&p));
	switch_everything();
	NEED(is_untouched(mem));
	unregister_jprobe(&j);
	unregister_kretprobe(&r);
	unregister_kprobe(&p);
	kprobes_flush();
	NEED(is_untouched(mem) && p.addr);
	NEED(!munmap(mem, PAGE));
	NEED(live_hit());
}

/* What the engine wants of the memory around it is there from then on. */
static void settle(void)
{
	void *lib = open_it();

	prepare();
	NEED(!register_kprobe(&p));
	kprobes_flush();
	unregister_kprobe(&p);
	kprobes_flush();
	close_it(lib);
}

static void comes_again(void)
{
	void *lib = (settle(), open_it());
	work_fn work = function(lib, "comes_work");
	long before = live_hits;

	prepare();
	NEED(!register_kprobe(&p));
	kprobes_flush();
	close_it(lib);
	lib = open_it();
	/* Nothing else was mapped meanwhile. */
	NEED(function(lib, "comes_work") == work);
	NEED(kprobe_gone(&p) && work(1) == 6 && live_hits == before);
	NEED(enable_kprobe(&p) == -EINVAL);
	NEED(!register_kprobe(&q) && q.addr == p.addr);
	kprobes_flush();
	NEED(work(1) == 6 && live_hits == before + 1);
	/* Both lines, one behind the other. */
	NEED(live_line(&q, "comes_work+0x0") &&
	     gone_line(&p, 'k', jumps ? "[GONE][OPTIMIZED]" : "[GONE]") ==
		     live_line(&q, "comes_work+0x0") + 1);
	unregister_kprobe(&p);
	NEED(p.addr == q.addr);
	NEED(work(1) == 6 && live_hits == before + 2);
	p.addr = NULL;
	p.flags = 0;
	NEED(!register_kprobe(&p) && !kprobe_gone(&p));
	kprobes_flush();
	NEED(work(1) == 6 && live_hits == before + 4);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	close_it(lib);
}

/* A breakpoint's post handler does not keep a newer probe from its jump. */
static void nothing_is_inherited(void)
{
	void *lib = (settle(), open_it());

	prepare();
	p.post_handler = live_post;
	NEED(!register_kprobe(&p));
	close_it(lib);
	lib = open_it();
	NEED(!register_kprobe(&q) && q.addr == p.addr);
	kprobes_flush();
	NEED(live_line(&q, "comes_work+0x0"));
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	close_it(lib);
}

/* ---- marks ----------------------------------------------------------------------- */

static int marks;

static void count_marks(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	marks += strstr(line, "\tso_marked\n") != NULL;
}

static int marks_nr(void)
{
	marks = 0;
	kprobes_blacklist(count_marks, NULL);
	return marks;
}

static void marks_come_and_go(void)
{
	int round;

	for (round = 0; round < 3; round++) {
		struct kprobe m = { .symbol_name = "marked:so_marked" };
		void *lib = dlopen(live_beside("marked.so"), RTLD_NOW | RTLD_LOCAL);

		NEED(lib && marks_nr() == 1 && register_kprobe(&m) == -EINVAL);
		dlclose(lib);
		NEED(marks_nr() == 0);
	}
}

/* ---- all of it at once -------------------------------------------------------------- */

static volatile bool stop;
static long registered, refused, strange;

static void *registers(void *arg)
{
	(void)arg;
	while (!stop) {
		struct kprobe k = { .symbol_name = "comes:comes_work",
				    .pre_handler = live_pre };
		int err = register_kprobe(&k);

		__atomic_fetch_add(err == -ENOENT ? &refused : err ? &strange :
						    &registered, 1,
				   __ATOMIC_RELAXED);
		if (!err)
			unregister_kprobe(&k);
	}
	return NULL;
}

static void *switches(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; !stop; i++) {
		kprobes_set_optimization(i % 2);
		(void)line_nr("");
		usleep(200);
	}
	return NULL;
}

static void while_others_register(void)
{
	pthread_t threads[3];
	const int rounds = live_rounds(100);
	long before = live_hits, gone = 0;
	int round;

	alarm(5 * LIVE_PATIENCE);		/* a machine without acceleration is slow */
	pthread_create(&threads[0], NULL, registers, NULL);
	pthread_create(&threads[1], NULL, registers, NULL);
	pthread_create(&threads[2], NULL, switches, NULL);
	for (round = 0; round < rounds; round++) {
		void *lib = open_it();
		work_fn work = function(lib, "comes_work");

		prepare();
		NEED(!register_kprobe(&p));
		if (round % 2)
			kprobes_flush();
		NEED(work(round) == round * 5 + 1);
		usleep(500);
		NEED(!dlclose(lib));
		gone += kprobe_gone(&p) != 0;
		unregister_kprobe(&p);
		/* Long enough that it is asked for while it is not there. */
		while (round % 8 == 0 && !__atomic_load_n(&refused, __ATOMIC_RELAXED))
			usleep(100);
	}
	stop = true;
	for (round = 0; round < 3; round++)
		pthread_join(threads[round], NULL);
	printf("# gone %ld, registered %ld, refused %ld, strange %ld\n", gone,
	       registered, refused, strange);
	NEED(gone == rounds && registered > 0 && refused > 0 && !strange);
	NEED(live_hits >= before + rounds && live_hit());
	kprobes_set_optimization(jumps);
}

int main(void)
{
	int form;

	live_arm();
	for (form = getenv("T_FEW") ? LIVE_JUMPS : 0; form <= LIVE_JUMPS; form++) {
		jumps = form;
		kprobes_set_optimization(jumps);
		child_case("K-MOD-08 an object is probed while it comes",
			   while_it_comes);
		child_case("K-MOD-01 K-MOD-02 K-MOD-03 K-MOD-09 K-MOD-12 K-KNB-06 K-KNB-08 "
			   "an object with probes of all kinds goes",
			   all_kinds_gone);
		child_case("K-MOD-04 K-MOD-05 K-MOD-06 K-KNB-10 an object comes again",
			   comes_again);
		child_case("K-MOD-11 what comes again inherits nothing",
			   nothing_is_inherited);
		child_case("K-MOD-01 objects come and go while others register",
			   while_others_register);
	}
	child_case("K-MOD-10 K-BLK-06 K-KNB-41 marks come and go", marks_come_and_go);
	return live_failed;
}
