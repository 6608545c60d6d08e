// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * follow.c - probing programs that the process executes.
 *
 * Owns: the environment that execve gets then (inherit.c).  With it the new program loads the
 * library and a module, which are removed from the environment again before main
 * (environment.c).  This is done only for a program that the C library's own dynamic linker
 * loads, with no more rights than the process has.  Another program would complain, or pass the
 * variables on.
 *
 * Other programs are asked for, where somebody outside wants to hold them before their first
 * instruction (kp_process_follow_held).
 *
 * A copy of the environment belongs to the thread, which may have no context.  A child of vfork,
 * which never returns to free it, also uses that copy.
 */
#include "signals/follow.h"
#include "atomic.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "process/ids.h"
#include "threads/contexts.h"
#include "objects/objects.h"

#include <elf.h>
#include <link.h>
#include <kprobes/process.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#define TEXT_MAX 1024
#define VARIABLES_MAX 65536
#define SCRIPTS_MAX 2
#define SEGMENTS_MAX 32

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static char library[TEXT_MAX], load[TEXT_MAX];
static char linker[64];			/* this program's: the C library's */
static bool follows;
static int only;			/* that process and no child of it; 0: all */
static bool again;			/* so does what that executes in its place */
static struct kp_process_left *left;	/* where what is not followed is noted; or NULL */
static struct kp_process_asker *askers;	/* atomic; NULL: nobody outside holds any */
static const unsigned int *listener;	/* is there somebody? */
static int asking;			/* atomic: threads that wait there */

#define ASK_US 200			/* between looks */
#define ASK_LOOKS 25000			/* 5 s */
#define OWNER_DIED 0x40000000u		/* FUTEX_OWNER_DIED */

/* That of another architecture, or C library, has another name. */
static void know_linker(void)
{
	const ElfW(Phdr) *ph = (const void *)kp_face_auxv(AT_PHDR);
	unsigned long i, nr = kp_face_auxv(AT_PHNUM);
	const char *name = "", *slash;
	uintptr_t bias = 0;

	for (i = 0; ph && i < nr; i++)
		if (ph[i].p_type == PT_PHDR)
			bias = (uintptr_t)ph - ph[i].p_vaddr;
	for (i = 0; ph && i < nr; i++)
		if (ph[i].p_type == PT_INTERP)
			name = (const char *)(bias + ph[i].p_vaddr);
	slash = strrchr(name, '/');
	if (slash && strlen(slash) < sizeof(linker))
		memcpy(linker, slash, strlen(slash) + 1);
}

void kp_user_follow_again(const char *spec)
{
	const struct kp_object *self = kp_user_object_at((uintptr_t)&kp_user_follow_again);

	again = spec && self && self->path[0] == '/' &&
		!kp_process_follow_exec(self->path, spec, NULL);
}

int kp_process_follow_exec(const char *of_library, const char *spec,
			   struct kp_process_left *note)
{
	int err = kp_process_follow(of_library, spec);

	kp_store_release(&follows, false);
	only = sys_getpid();
	left = note;
	kp_store_release(&follows, !err && of_library);
	return err;
}

/* Nobody waits there any more: its memory may go. */
static void forget_askers(void)
{
	int i;

	__atomic_store_n(&askers, NULL, __ATOMIC_SEQ_CST);
	/* Pairs with ask(); a forked child may have another's count. */
	for (i = 0; i < 100 && __atomic_load_n(&asking, __ATOMIC_SEQ_CST); i++)
		sys_sleep_us(ASK_US * 5);
}

void kp_process_follow_held(struct kp_process_asker of[KP_PROCESS_ASKERS],
			    const unsigned int *of_listener, const char *of_linker)
{
	size_t len = strlen(of_linker);

	/* This program may have none, or another C library's. */
	if (len + 2 < sizeof(linker)) {
		linker[0] = '/';
		memcpy(linker + 1, of_linker, len + 1);
	}
	listener = of_listener;
	/* Pairs with ask(). */
	__atomic_store_n(&askers, of, __ATOMIC_SEQ_CST);
}

int kp_process_follow(const char *of_library, const char *spec)
{
	kp_store_release(&follows, false);
	forget_askers();
	only = 0;
	left = NULL;
	know_linker();
	if (!of_library)
		return 0;
	if (strlen(of_library) >= TEXT_MAX || strlen(spec) >= TEXT_MAX)
		return -ENAMETOOLONG;
	memcpy(library, of_library, strlen(of_library) + 1);
	memcpy(load, spec, strlen(spec) + 1);
	/* Pairs with kp_user_follow(): both are there. */
	kp_store_release(&follows, true);
	return 0;
}

/* ---- which programs ------------------------------------------------------------- */

KP_TRAP_PATH static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with) {
		text++;
		with++;
	}
	return !*with;
}

/* Its dynamic linker is the C library's. */
KP_TRAP_PATH static bool has_linker(long fd, const ElfW(Ehdr) *eh)
{
	ElfW(Phdr) ph = { 0 };
	char name[64] = "";
	unsigned int i;

	for (i = 0; i < eh->e_phnum && i < SEGMENTS_MAX; i++) {
		if (sys4(SYS_pread64, fd, &ph, sizeof(ph),
			 eh->e_phoff + i * sizeof(ph)) != sizeof(ph))
			return false;
		if (ph.p_type == PT_INTERP)
			break;
	}
	if (ph.p_type != PT_INTERP ||
	    sys4(SYS_pread64, fd, name, sizeof(name) - 1, ph.p_offset) <= 0)
		return false;
	for (i = 0; name[i]; i++)
		if (linker[0] && begins(name + i, linker))
			return true;
	return false;
}

KP_TRAP_PATH static bool gains_rights(long fd)
{
	struct stat st;

	return sys_fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	       (st.st_mode & (S_ISUID | S_ISGID)) ||
	       sys4(SYS_fgetxattr, fd, "security.capability", NULL, 0) > 0;
}

enum suited { UNSUITED, BY_ITSELF, HELD, ASK_INTERPRETER };

/* What path names now is to be asked next, a script's interpreter. */
KP_TRAP_PATH static enum suited is_suited(const char *path, char next[256])
{
	union {
		ElfW(Ehdr) eh;
		char text[256];
	} head = { .text = "" };
	long fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY), len;
	enum suited result = UNSUITED;
	int i, at = 2;

	if (fd < 0)
		return UNSUITED;
	len = sys4(SYS_pread64, fd, &head, sizeof(head) - 1, 0);
	if (gains_rights(fd)) {
		result = UNSUITED;
	} else if (len > 2 && begins(head.text, "#!")) {
		while (head.text[at] == ' ' || head.text[at] == '\t')
			at++;
		for (i = 0; head.text[at] && head.text[at] != ' ' &&
		     head.text[at] != '\t' && head.text[at] != '\n'; i++)
			next[i] = head.text[at++];
		next[i] = 0;
		result = ASK_INTERPRETER;
	} else if (len >= (long)sizeof(head.eh) && begins(head.text, ELFMAG)) {
		if (head.eh.e_ident[EI_CLASS] == KP_ELF_CLASS &&
		    head.eh.e_machine == __ehdr_start.e_machine &&
		    head.eh.e_phentsize == sizeof(ElfW(Phdr)))
			result = has_linker(fd, &head.eh) ? BY_ITSELF : HELD;
	}
	sys_close(fd);
	return result;
}

KP_TRAP_PATH static enum suited is_program_suited(const char *path)
{
	char next[256];
	enum suited result = is_suited(path, next);
	int i;

	for (i = 0; i < SCRIPTS_MAX && result == ASK_INTERPRETER; i++)
		result = is_suited(next, next);
	return result;
}

/* ---- one that is held from outside -------------------------------------------------- */

/* The answer, or KP_ASKS: nobody gives one. */
KP_TRAP_PATH static unsigned int wait_answer(struct kp_process_asker *asker)
{
	unsigned int state = KP_ASKS, there;
	int i;

	for (i = 0; i < ASK_LOOKS && state == KP_ASKS; i++) {
		there = kp_load_relaxed(listener);
		if (!kp_load_relaxed(&askers) || !there || there & OWNER_DIED)
			break;
		sys_sleep_us(ASK_US);
		/* Acquire: it is traced. */
		state = kp_load_acquire(&asker->state);
	}
	/* The last word: what was granted meanwhile is. */
	if (state == KP_ASKS &&
	    __atomic_compare_exchange_n(&asker->state, &state, KP_ASKS_NOT, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return KP_ASKS;
	return state;
}

/* True: it will be held. */
KP_TRAP_PATH static bool ask(void)
{
	struct kp_process_asker *all, *mine = NULL;
	unsigned int i, state, granted = KP_ASKS_NOT;

	/* Before it is read: forget_askers() waits for who may have it. */
	__atomic_add_fetch(&asking, 1, __ATOMIC_SEQ_CST);
	all = __atomic_load_n(&askers, __ATOMIC_SEQ_CST);
	for (i = 0; all && i < KP_PROCESS_ASKERS && !mine; i++) {
		state = KP_ASKS_NOT;
		if (__atomic_compare_exchange_n(&all[i].state, &state, KP_ASKS_SOON, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			mine = &all[i];
	}
	if (mine) {
		mine->tid = sys_gettid();
		/* Pairs with who answers. */
		kp_store_release(&mine->state, KP_ASKS);
		granted = wait_answer(mine);
		if (granted == KP_ASKS_REFUSED)
			kp_store_release(&mine->state, KP_ASKS_NOT);
	}
	__atomic_sub_fetch(&asking, 1, __ATOMIC_SEQ_CST);
	return granted == KP_ASKS_GRANTED;
}

/* Its execve has failed. */
KP_TRAP_PATH static void take_ask_back(void)
{
	struct kp_process_asker *all = kp_load_acquire(&askers);
	int i, tid = sys_gettid();

	for (i = 0; all && i < KP_PROCESS_ASKERS; i++)
		if (kp_load_acquire(&all[i].state) == KP_ASKS_GRANTED && all[i].tid == tid)
			kp_store_release(&all[i].state, KP_ASKS_OVER);
}

/* ---- the environment ------------------------------------------------------------- */

/* A copy of the words and strings, from the begin of the room on. */
struct copy {
	char **words;
	char *at, *end;
};

KP_TRAP_PATH static void put(struct copy *copy, const char *text)
{
	while (*text && copy->at < copy->end)
		*copy->at++ = *text++;
}

/* "NAMEvalue:more"; more: "": neither it nor the colon. */
KP_TRAP_PATH static char *variable(struct copy *copy, const char *name,
				   const char *value, const char *more)
{
	char *text = copy->at;

	put(copy, name);
	put(copy, value);
	if (*value && *more)
		put(copy, ":");
	put(copy, more);
	if (copy->at < copy->end)
		*copy->at++ = 0;
	return text;
}

/* TEXT_MAX: it is too long, or cannot be read. */
KP_TRAP_PATH static unsigned long length(const char *text)
{
	unsigned long len;
	char c = 1;

	for (len = 0; len < TEXT_MAX; len++)
		if (kp_user_copy(&c, text + len, 1) || !c)
			break;
	return c ? TEXT_MAX : len;
}

KP_TRAP_PATH static char *room(unsigned long len)
{
	struct kp_user_thread *thread = kp_user_thread();

	len = (len + 4095) & ~4095ul;
	if (thread->follow_len >= len)
		return (char *)thread->follow;
	if (thread->follow)
		sys3(SYS_munmap, thread->follow, thread->follow_len, 0);
	thread->follow = (uintptr_t)sys_mmap(NULL, len, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1);
	thread->follow_len = thread->follow ? len : 0;
	return (char *)thread->follow;
}

/* How many words, and which one is LD_PRELOAD; false: they cannot be read. */
KP_TRAP_PATH static bool look(char *const *env, unsigned int *nr, const char **before)
{
	char name[12], *word;
	unsigned int i;

	*before = "";
	for (i = 0; i < VARIABLES_MAX; i++) {
		if (kp_user_copy(&word, &env[i], sizeof(word)))
			return false;
		if (!word)
			break;
		if (kp_user_copy(name, word, sizeof(name)))
			continue;
		if (begins(name, "KPROBES_ONCE"))
			return false;	/* somebody follows it already */
		if (begins(name, "LD_PRELOAD="))
			*before = word + 11;
	}
	*nr = i;
	return i < VARIABLES_MAX && length(*before) < TEXT_MAX;
}

/* Said before it is known whether there is such a program: kp_user_follow_failed. */
KP_TRAP_PATH static void note_left(const char *path)
{
	unsigned int i;

	if (!left)
		return;
	for (i = 0; path && i < sizeof(left->path) - 1; i++)
		if (kp_user_copy(&left->path[i], path + i, 1) || !left->path[i])
			break;
	left->path[i] = 0;
	/* Pairs with who looks: the path is there. */
	kp_store_release(&left->done, 1u);
}

KP_TRAP_PATH void kp_user_follow_not(const char *path)
{
	if (kp_load_acquire(&follows) && only == sys_getpid())
		note_left(path);
}

KP_TRAP_PATH void kp_user_follow_failed(void)
{
	if (!kp_load_acquire(&follows))
		return;
	if (left && only == sys_getpid())
		kp_store_release(&left->done, 0u);
	take_ask_back();
}

/* "load -- COMMAND": nobody notes it, so the log has it.  Of a path where nothing is, nothing. */
KP_TRAP_PATH static void say_left(const char *path, const char *why)
{
	char name[128];
	unsigned int i;

	if (!again || sys4(SYS_faccessat, AT_FDCWD, path, X_OK, 0))
		return;
	for (i = 0; i < sizeof(name) - 1; i++)
		if (kp_user_copy(&name[i], path + i, 1) || !name[i])
			break;
	name[i] = 0;
	kp_host_log(KP_LOG_WARN, "kprobes: the module is not loaded into %s, which is executed now: %s",
		    name, why);
}

/*
 * trap_held: SIGTRAP is blocked or ignored.  What is executed inherits that and may look at it;
 * a module that nobody asked for there does not change it.
 */
KP_TRAP_PATH char **kp_user_follow(const char *path, char **env, bool trap_held)
{
	enum suited suited;
	struct copy copy;
	const char *before;
	unsigned int nr, i, to = 0;
	unsigned long len;
	char name[12];

	/* Pairs with kp_process_follow(). */
	if (!kp_load_acquire(&follows) || (only && only != sys_getpid()))
		return env;
	suited = kp_user_filtered() ? UNSUITED : is_program_suited(path);
	if (suited == HELD && ask())
		return env;
	if (suited != BY_ITSELF || !env || !look(env, &nr, &before)) {
		note_left(path);
		say_left(path, "it does not load libraries, gains rights, or has a filter of system calls");
		return env;
	}
	if (again && trap_held) {
		say_left(path, "it inherits SIGTRAP blocked or ignored");
		return env;
	}
	len = (nr + 5ul) * sizeof(char *) + 5ul * TEXT_MAX;
	copy.words = (char **)room(len);
	if (!copy.words)
		return env;
	copy.at = (char *)(copy.words + nr + 5);
	copy.end = (char *)copy.words + len;
	for (i = 0; i < nr; i++)
		if (kp_user_copy(name, env[i], sizeof(name)) ||
		    !begins(name, "LD_PRELOAD="))
			copy.words[to++] = env[i];
	copy.words[to++] = variable(&copy, "LD_PRELOAD=", library, before);
	copy.words[to++] = variable(&copy, "KPROBES_LOAD=", load, "");
	copy.words[to++] = variable(&copy, "KPROBES_FOLLOWED=", before, "");
	if (again)
		copy.words[to++] = variable(&copy, "KPROBES_AGAIN=", "1", "");
	copy.words[to] = NULL;
	return copy.words;
}
