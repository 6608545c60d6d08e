/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.c - each thread's own, found by its number (thread_table.c), without an engine.
 *
 * Real threads claim and end, thousands of them, at once and one after the other; numbers that
 * no thread has fill the slots that they share; words at the thread pointer lie; a child forks.
 */
#include "live.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/heap.h"
#include "process/ids.h"
#include "process/thread_table.c"

/* What the table asks of its neighbours. */
#define MADE_UP 5000000			/* numbers from there on are nobody's */

static int first_pid, made_up_over;
static char *client_stack;
static struct kp_user_thread *works_for;
#define CLIENT_STACK 262144

static struct kp_user_thread *client_of(uintptr_t sp)
{
	return works_for && sp - (uintptr_t)client_stack < CLIENT_STACK ? works_for : NULL;
}

bool kp_user_filtered(void)
{
	return false;
}

bool kp_user_ids_forked(void)
{
	return getpid() != first_pid;
}

bool kp_user_in_vfork_child(void)
{
	return false;
}

bool kp_user_thread_over(int tid)
{
	return tid >= MADE_UP ? made_up_over
			      : sys3(SYS_tgkill, sys_getpid(), tid, 0) == -ESRCH;
}

void *kp_user_map_away(size_t len, int prot, int flags)
{
	return sys_mmap(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);
}

bool kp_user_readable(uintptr_t addr)
{
	return sys4(SYS_rt_sigprocmask, -1, addr & ~7ul, 0, 8) != -EFAULT;
}

static bool on_no_other_stack(const struct kp_user_context *ctx, uintptr_t sp)
{
	(void)ctx;
	(void)sp;
	return false;
}

static const struct kp_user_thread_steps steps = { on_no_other_stack, client_of };


/* So that the word is believed: the stack is the thread's. */
static void have_room(struct kp_user_thread *own)
{
	uintptr_t sp = kp_thread_stack_pointer();

	own->room.from = sp - 4096;
	own->room.len = 8192;
}

static long wrong;			/* atomic */
static pthread_barrier_t all_there;

/* Nothing of another thread's is there, and it is found again, fast and slowly. */
static void *live_on(void *waits)
{
	struct kp_user_thread *own = kp_user_thread();
	int i, bad = own->mem != 0 || kp_thread_entry_of(own)->real != sys_gettid();

	own->mem = sys_gettid();
	bad += kp_user_thread() != own;
	have_room(own);
	if (waits)
		pthread_barrier_wait(&all_there);
	for (i = 0; i < 4; i++)
		bad += kp_user_thread() != own || own->mem != sys_gettid();
	bad += kp_user_thread_look() != own;
	if (waits)
		pthread_barrier_wait(&all_there);
	__atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
	return NULL;
}

static bool many(int nr)
{
	pthread_t *threads = calloc((size_t)nr, sizeof(*threads));
	pthread_attr_t attr;
	int i, made;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	pthread_barrier_init(&all_there, NULL, (unsigned int)nr + 1);
	for (made = 0; made < nr; made++)
		if (pthread_create(&threads[made], &attr, live_on, threads))
			break;
	/* As many as the system lets us have: nobody may wait for the others for ever. */
	if (made < nr) {
		printf("# %d threads are all that there may be\n", made);
		fflush(stdout);
		_exit(made > 100 ? 0 : 1);
	}
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&all_there);
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return made == nr && !wrong;
}

static void many_in_child(void)
{
	first_pid = getpid();
	_exit(!many(live_rounds(10000)));
}

static unsigned int chunks_nr(void)
{
	struct chunk *chunk = chunks;
	unsigned int nr = 0;

	for (; chunk; chunk = chunk->next)
		nr++;
	return nr;
}

static bool one_by_one(int nr)
{
	unsigned int before = chunks_nr();
	pthread_t thread;
	int i;

	for (i = 0; i < nr; i++) {
		if (pthread_create(&thread, NULL, live_on, NULL))
			return false;
		pthread_join(thread, NULL);
	}
	return !wrong && chunks_nr() <= before + 1;
}

/* All of one home: more than there are slots to try. */
static bool collisions(void)
{
	struct kp_thread_entry *entries[SLOTS_TRIED + 8];
	unsigned int i, n = SLOTS_TRIED + 8, bad = 0, taken = 0;

	for (i = 0; i < n; i++)
		entries[i] = make(MADE_UP + (int)(i * KP_THREAD_SLOTS), true);
	bad += outside != 8;
	for (i = 0; i < n; i++)
		bad += find(MADE_UP + (int)(i * KP_THREAD_SLOTS), false) != entries[i] ||
		       find(MADE_UP + (int)(i * KP_THREAD_SLOTS), true);
	made_up_over = 1;
	reap_all();
	made_up_over = 0;
	for (i = 0; i < SLOTS_TRIED; i++)
		taken += kp_user_threads.slot[((unsigned int)MADE_UP + i) % KP_THREAD_SLOTS] != 0;
	return !bad && !outside && !taken && !find(MADE_UP, false);
}

/* The thread pointer says that it is somebody else, nobody, or leads nowhere. */
static bool lies(void)
{
	struct kp_user_thread *own = kp_user_thread();
	int *word = (int *)(kp_thread_pointer(true) + (uintptr_t)kp_user_thread_word);
	static const int said[] = { 0, -1, 1, MADE_UP, 65536, 0x7fffffff };
	struct kp_thread_entry *other = make(MADE_UP, true);
	int right = *word;
	unsigned int i, bad = 0;

	other->key = MADE_UP;
	other->thread.room = (struct kp_user_room){ 4096, 4096, NULL };
	own->room.from = own->room.len = 0;
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		*word = said[i];
		bad += kp_user_thread() != own;
	}
	*word = right;
	have_room(own);
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		*word = said[i];
		bad += kp_user_thread() != own;
	}
	*word = right;
	made_up_over = 1;
	reap_all();
	made_up_over = 0;
	return !bad && kp_user_thread() == own;
}

#ifdef __x86_64__
static long in_vain;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uintptr_t ip = kp_uc_ip(uc);

	(void)sig;
	(void)info;
	/* No C library: it has no thread pointer. */
	if (!kp_user_thread_fixup(&ip))
		sys3(SYS_exit_group, 99, 0, 0);
	kp_uc_set_ip(uc, ip);
	in_vain++;
}

static bool no_pointer(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER }, old;
	struct kp_user_thread *own = kp_user_thread(), *found;
	uintptr_t self = kp_thread_pointer(true);

	sigaction(SIGSEGV, &act, &old);
	kp_set_thread(0);
	found = kp_user_thread();
	kp_set_thread(self);
	sigaction(SIGSEGV, &old, NULL);
	return found == own && in_vain;
}
#endif

/* The child has what its parent's thread had, and no other. */
static void forked(void)
{
	struct kp_user_thread *own = kp_user_thread();
	struct kp_thread_entry *e;
	int others = 0;

	for (e = next_entry(NULL); e; e = next_entry(e))
		others += e->real > 0 && &e->thread != own;
	_exit(own->mem != first_pid || others || kp_thread_entry_of(own)->real != sys_gettid() ||
	      kp_thread_entry_of(own)->key != sys_gettid());
}

static void *works(void *result)
{
	*(struct kp_user_thread **)result = kp_user_thread();
	return NULL;
}

/* A thread on a stack of ours has what its client has. */
static bool works_for_another(void)
{
	struct kp_user_thread *seen = NULL;
	pthread_attr_t attr;
	pthread_t thread;

	client_stack = mmap(NULL, CLIENT_STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	works_for = kp_user_thread();
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, client_stack, CLIENT_STACK);
	if (pthread_create(&thread, &attr, works, &seen))
		return false;
	pthread_join(thread, NULL);
	return seen == works_for;
}

int main(void)
{
	struct kp_user_thread *own;

	first_pid = getpid();
	kp_user_thread_init(&steps);
	own = kp_user_thread();
	EXPECT("a thread is found again", own == kp_user_thread() && !own->mem);
	have_room(own);
	EXPECT("where the number stands is learned", !(kp_user_thread_word & KP_THREAD_NO_WORD) &&
	       kp_thread_number(kp_user_thread_word) == sys_gettid());
	EXPECT("numbers that share slots are told apart, and leave them", collisions());
	EXPECT("a number that lies is not believed", lies());
#ifdef __x86_64__
	EXPECT("a thread pointer that leads nowhere is no harm", no_pointer());
#endif
	EXPECT("threads one by one have nothing of the one before, and their memory",
	       one_by_one(live_rounds(5000)));
	own->mem = first_pid;
	EXPECT("a forked child has what its parent's thread had", !in_child(forked));
	EXPECT("who works for another thread has what that has", works_for_another());
	works_for = NULL;
	EXPECT("10,000 threads at once are each their own", !in_child(many_in_child));
	return live_failed;
}
