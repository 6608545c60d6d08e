/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * patch.pml - breakpoints and jumps come and go while others execute them.
 *
 * Owns: the protocol of core/breakpoint.c, core/jump.c, core/queue.c and core/optimize.c, and what
 * core/trap.c, landing.c and detour.c make of it, step by step.  Each label
 * LIKE_THIS stands in a comment of the code at the step that it names.
 *
 * Text: four instructions.  A byte holds O (original), I (a breakpoint of ours),
 * or its site's jump: JA or JB.  A jump takes 4 bytes here, which is one free
 * displacement byte less than there are.
 *
 * Cores: seen[b] holds every value that byte b had since the cores were last
 * synchronised, and a fetch takes any of them for each byte, each time anew: it
 * may go back and forth.  Views that each core would have of its own are part of
 * that, and so is a core that is synchronised earlier than the others.  A trap,
 * or the return from one, synchronises nobody.
 *
 * Runners go through the text from any instruction on, again and again; rest
 * anywhere for any time; and take a signal, whose handler goes through the text
 * as well and returns to where they were.
 *
 * Patchers: one registers and unregisters a probe at site A, one at site B; the
 * worker writes and removes jumps; all under the registry lock.  (Each writer of
 * text holds it, so the text lock inside adds nothing here.)  In the end the
 * engine may stop.
 *
 * Built for RUNNERS of them.  What else a run is about is in its environment:
 * LAYOUT (1 to 4: the sites), SIGNALS (how many runners take one), FAILS (writes
 * may fail), CYCLES (how often a patcher registers; 0: no limit) and OFF (what is
 * left out of the protocol).
 */

#ifndef RUNNERS
#define RUNNERS 3
#endif

/* Constant in a run. */
byte off, signals, cycles;
bit fails;

/* What can be left out: synchronisations, waits, locks; and orders. */
#define NOTHING		0
#define ARM_SYNC	1
#define DISARM_SYNC	2
#define WRITE_SYNC_1	3
#define WRITE_SYNC_2	4
#define WRITE_SYNC_3	5
#define REMOVE_SYNC_1	6
#define REMOVE_SYNC_2	7
#define REMOVE_SYNC_3	8
#define WAIT_HANDLERS	9
#define WAIT_HEADS	10
#define WAIT_SLOTS	11
#define REGISTRY_LOCK	12
#define ARMED_FIRST	13		/* ARMED before the breakpoint */
#define IDLE_LAST	14		/* IDLE after the original byte */
#define IN_FIRST	15		/* IN before the first trap */
#define NONE_LAST	16		/* NONE after the last trap */
#define INNER_TRAPS_1	17		/* traps between when writing */
#define INNER_TRAPS_2	18		/* and when removing */
#define CLEAR_OUTER	19		/* a jump over the new breakpoint goes */
#define KEEP_OUT	20		/* no jump over an armed site */
#define LOOK_AGAIN	21		/* when text became ours meanwhile */
#define TRY_AGAIN	22		/* a breakpoint that is gone */
#define TRY_FAULT_AGAIN	23		/* a trapping byte that is gone */

#define HAS(what) (off != what)

/* What must never happen. */
#define TORN		1		/* bytes that are no instruction */
#define LOST		2		/* a trap that is nobody's */
#define WRONG		3		/* led to another instruction */
#define MISSED		4		/* not counted */
#define TWICE		5		/* counted twice */
#define FREED		6		/* a handler of a probe that is no more */
#define GONE		7		/* the engine has gone */
#define FOREVER		8		/* traps where there is no trap */
#define LEFT		9		/* text that is not restored */
byte bad;
#define NEVER(what)	bad = what; assert(bad != what)
#define MUST(cond, what) if :: !(cond) -> NEVER(what) :: else fi

/* ---- the text and its sites ---------------------------------------------------- */

#define O	1
#define I	2
#define JA	4
#define JB	8

#define A	0
#define B	1
#define END	4			/* behind the last instruction */

/*
 * Layout 1  A spread over B and one more; B punned, its jump ends in the next
 *        2  A spread, up to B's first byte; B spread
 *        3  A punned in one byte, B's bytes are its displacement; B spread
 *        4  A wide, B behind it spread: both jumps are there at once
 */
#define BYTES	8
#define START(n)	start[n]
#define AT(x)		site_at[x]
#define PATCHED(x)	patched[x]
byte start[END + 1], site_at[2], patched[2];	/* constant in a run */
#define SPAN	4

#define FIRST(x)	START(AT(x))
#define J(x)		((x) == A -> JA : JB)
/* Does a boundary lie under the jump?  Does a site? */
#define INNER(x, n)	((n) > AT(x) && START(n) < FIRST(x) + PATCHED(x))
#define SPANS(x, n)	((n) > AT(x) && START(n) < FIRST(x) + SPAN)
#define HAS_INNER(x)	INNER(x, AT(x) + 1)
#define IS_SITE(n)	((n) == AT(A) || (n) == AT(B))
#define SITE(n)		((n) == AT(A) -> A : B)
#define BIT(x)		(1 << (x))

byte mem[BYTES], seen[BYTES];

/* ---- what the engine knows ------------------------------------------------------ */

bit armed[2];			/* site->state == KP_SITE_ARMED */
bit in[2];			/* site->jump == KP_JUMP_IN */
bit whole[2];			/* site->jump_whole */
bit child[2];			/* there is a child: it is enabled */
bit freed[2];			/* it was, and its memory is gone */
bit gone;			/* kp_core_stop is done */
bit lock;			/* the registry lock */
byte ended;			/* patchers that stopped */

/* ---- what the checks know -------------------------------------------------------- */

bit counts[2];			/* register returned, unregister did not begin */

/* ---- runners ----------------------------------------------------------------------- */

mtype = { TEXT, BP, UD, OWN, OWN_ARMED, OTHER, READ, AGAIN, HIT, CALL, SLOT,
	  HEAD, ENTERED, DETOUR, BODY, CHAIN, STALE };

mtype pc[RUNNERS] = TEXT;
byte at[RUNNERS];		/* the instruction that is to be executed next */
bit site[RUNNERS];		/* whose engine code it is in */
bit hit[RUNNERS];		/* its handler ran */
bit quiet[RUNNERS];		/* no child was there to be called */
byte due[RUNNERS];		/* the sites that count this time */
bit changed[RUNNERS];		/* kp_patches_generation() since it looked */
/*
 * ctx->retried: 1 + where a fault was tried again; 0 also when retried_at is no
 * longer kp_jump_removals().
 */
byte retried[RUNNERS];
bit tried[RUNNERS];		/* a trap was tried again, and nobody patched */

mtype saved_pc[RUNNERS] = TEXT;	/* where a signal interrupted it */
byte saved_at[RUNNERS] = END;	/* END: no signal */
bit saved_site[RUNNERS], saved_hit[RUNNERS], saved_quiet[RUNNERS];
byte saved_due[RUNNERS];

/* Where own_or_gone() looks. */
#define LOOKS(p) (p == OWN || p == OWN_ARMED || p == OTHER || p == READ || \
		  p == AGAIN)
/* Between kp_host_enter and kp_host_leave. */
#define INSIDE(p) (LOOKS(p) || p == HIT || p == CALL || p == ENTERED || \
		   p == DETOUR)
#define IN_HEADS(p) (p == HEAD || p == ENTERED || p == DETOUR || p == BODY)
#define IN_SLOTS(p) (p != TEXT && !IN_HEADS(p))

byte i, n;			/* in d_step only, 0 behind it */

/* ---- writing text -------------------------------------------------------------------- */

inline put(byte_nr, value)
{
	mem[byte_nr] = value;
	seen[byte_nr] = seen[byte_nr] | value
}

inline sync(which)
{
	d_step {
		if
		:: HAS(which) ->
			i = 0;
			do
			:: i < BYTES -> seen[i] = mem[i]; i++
			:: else -> break
			od;
			i = 0
		:: else
		fi
	}
}

#define EACH_RUNNER(flags, value) \
	i = 0; \
	do \
	:: i < RUNNERS -> flags[i] = value; i++ \
	:: else -> break \
	od; \
	i = 0

/* kp_patches_generation, for those who may ask. */
#define TEXT_CHANGES EACH_RUNNER(changed, LOOKS(pc[i]))

inline take_registry()
{
	atomic {
		!lock || !HAS(REGISTRY_LOCK) -> lock = 1;
		/* From now on a trap may come again. */
		d_step { EACH_RUNNER(tried, 0) }
	}
}

inline leave_registry()
{
	lock = 0
}

/*
 * The bytes behind the first, as jump.c's put_tail.  What is not ours is left:
 * without the registry lock, only.
 */
inline put_tail(x, trapping)
{
	d_step {
		i = 1;
		do
		:: i < PATCHED(x) ->
			n = AT(x) + 1;
			do
			:: n < END && START(n) < FIRST(x) + i -> n++
			:: else -> break
			od;
			if
			:: trapping && START(n) == FIRST(x) + i ->
				put(FIRST(x) + i, I)
			:: else ->
				put(FIRST(x) + i, O)
			fi;
			i++
		:: else -> break
		od;
		i = 0;
		n = 0
	}
}

inline put_inner(x)
{
	d_step {
		n = AT(x) + 1;
		do
		:: n < END ->
			if
			:: INNER(x, n) -> put(START(n), I)
			:: else
			fi;
			n++
		:: else -> break
		od;
		n = 0
	}
}

inline put_jump_tail(x)
{
	d_step {
		i = 1;
		do
		:: i < PATCHED(x) -> put(FIRST(x) + i, J(x)); i++
		:: else -> break
		od;
		i = 0
	}
}

/* Any write may: then nothing is written. */
#define MAY_FAIL(x) :: fails -> failed[x] = 1
bit failed[2];

/* kp_jump_remove.  While it fails the site says IN. */
inline jump_remove(x)
{
	if
	:: in[x] ->
		failed[x] = 0;
		if
		:: mem[FIRST(x)] == J(x) ->
			whole[x] = 0;
			d_step { TEXT_CHANGES };
			if
			:: d_step { put(FIRST(x), I) };		/* REMOVE_1 */
			   sync(REMOVE_SYNC_1)
			MAY_FAIL(x)
			fi
		:: else
		fi;
		if
		:: failed[x] || PATCHED(x) == 1
		:: !failed[x] && PATCHED(x) > 1 ->
			if
			:: put_tail(x, HAS(INNER_TRAPS_2));	/* REMOVE_2 */
			   sync(REMOVE_SYNC_2)
			MAY_FAIL(x)
			fi
		fi;
		if
		:: !failed[x] && HAS_INNER(x) ->
			atomic { if
			:: HAS(NONE_LAST)
			:: else -> in[x] = 0
			fi };
			if
			:: put_tail(x, false);		/* REMOVE_3 */
			   sync(REMOVE_SYNC_3)
			MAY_FAIL(x)
			fi
		:: else
		fi;
		if
		:: !failed[x] -> d_step {		/* REMOVE_4 */
			whole[x] = 0;
			EACH_RUNNER(retried, 0);
			in[x] = 0
		   }
		:: else
		fi
	:: else
	fi
}

/* kp_jump_write; armed, no jump, nothing in the way. */
inline jump_write(x)
{
	failed[x] = 0;
	whole[x] = 0;
	atomic { if
	:: HAS(IN_FIRST) -> in[x] = 1			/* WRITE_0 */
	:: else
	fi };
	if
	:: HAS_INNER(x) && HAS(INNER_TRAPS_1) ->
		d_step { TEXT_CHANGES };
		if
		:: put_inner(x);			/* WRITE_1 */
		   sync(WRITE_SYNC_1)
		MAY_FAIL(x)
		fi
	:: else
	fi;
	in[x] = 1;
	if
	:: !failed[x] && PATCHED(x) > 1 ->
		d_step { TEXT_CHANGES };
		if
		:: put_jump_tail(x);			/* WRITE_2 */
		   sync(WRITE_SYNC_2)
		MAY_FAIL(x)
		fi
	:: else
	fi;
	if
	:: !failed[x] ->
		if
		:: d_step { put(FIRST(x), J(x)) };			/* WRITE_3 */
		   sync(WRITE_SYNC_3);
		   whole[x] = 1				/* WRITE_4 */
		MAY_FAIL(x)
		fi
	:: else
	fi;
	if
	:: failed[x] -> jump_remove(x)
	:: else
	fi
}

/* kp_breakpoints_arm, for one site; its neighbour's jump may span it (ARM_0). */
inline arm(x, y)
{
	if
	:: HAS(CLEAR_OUTER) && SPANS(y, AT(x)) -> jump_remove(y)
	:: else
	fi;
	if
	:: in[y] && SPANS(y, AT(x)) && HAS(CLEAR_OUTER)
		/* could not be removed: the registration fails */
	:: else ->
		atomic { if
		:: HAS(ARMED_FIRST) -> armed[x] = 1	/* ARM_1 */
		:: else
		fi };
		d_step { TEXT_CHANGES };
		d_step { put(FIRST(x), I) };			/* ARM_2 */
		sync(ARM_SYNC);
		armed[x] = 1
	fi
}

/* kp_breakpoints_disarm, for one site. */
inline disarm(x)
{
	jump_remove(x);					/* DISARM_0 */
	if
	:: armed[x] && !in[x] && mem[FIRST(x)] == I ->
		atomic { if
		:: HAS(IDLE_LAST)
		:: else -> armed[x] = 0
		fi };
		if
		:: d_step { put(FIRST(x), O) };			/* DISARM_1 */
		   sync(DISARM_SYNC);
		   armed[x] = 0				/* DISARM_2 */
		:: fails				/* stays ARMED */
		fi
	:: else
	fi
}

/* kp_host_wait_handlers: each reader that was there has left. */
inline wait_handlers(r)
{
	if
	:: HAS(WAIT_HANDLERS) ->
		r = 0;
		do
		:: r < RUNNERS -> !INSIDE(pc[r]) -> r++
		:: else -> break
		od;
		r = 0
	:: else
	fi
}

/* A user. */
proctype patcher(bit x)
{
	bit y = 1 - x;
	byte r, round;

	do
	:: atomic {
		!cycles || round < cycles ->
		if
		:: cycles -> round++
		:: else
		fi;
		take_registry();
		freed[x] = 0;
		child[x] = 1
	   };
	   if
	   :: !armed[x] -> arm(x, y)
	   :: else
	   fi;
	   d_step {
		leave_registry();
		counts[x] = armed[x]
	   };

	   /* What began meanwhile need not be counted. */
	   d_step {
		counts[x] = 0;
		i = 0;
		do
		:: i < RUNNERS ->
			due[i] = due[i] & ~BIT(x);
			saved_due[i] = saved_due[i] & ~BIT(x);
			i++
		:: else -> break
		od;
		i = 0
	   };
	   atomic {
		take_registry();
		child[x] = 0
	   };
	   if
	   :: armed[x] && !in[x] -> disarm(x)
	   :: else
	   fi;
	   leave_registry();
	   wait_handlers(r);
	   freed[x] = 1
	:: break
	od;
	ended++
}

/* optimize.c's work(), for a site that it finds something to do about. */
#define DUE_JUMP(x) (child[x] && armed[x] && !in[x] && \
		     (!HAS(KEEP_OUT) || \
		      !(armed[1 - (x)] && SPANS(x, AT(1 - (x))))))

inline work(x)
{
	if
	:: in[x] -> jump_remove(x)		/* optimization is switched off */
	:: armed[x] && !child[x] -> disarm(x)
	:: DUE_JUMP(x) -> jump_write(x)
	:: else
	fi
}

/* kp_host_wait_tasks: one look at all tasks. */
#define NOBODY_1(where, r) (!where(pc[r]) && !where(saved_pc[r]))
#if RUNNERS == 1
#define NOBODY(where) NOBODY_1(where, 0)
#elif RUNNERS == 2
#define NOBODY(where) (NOBODY_1(where, 0) && NOBODY_1(where, 1))
#else
#define NOBODY(where) (NOBODY_1(where, 0) && NOBODY_1(where, 1) && \
		       NOBODY_1(where, 2))
#endif
#define WAIT_TASKS(which, where) \
	if \
	:: HAS(which) -> NOBODY(where) \
	:: else \
	fi

proctype worker()
{
	byte r;

	do
	:: (armed[A] || armed[B]) ->
		take_registry();
		if
		:: true -> work(A)
		:: true -> work(B)
		fi;
		leave_registry()
	:: ended == 2 -> break
	od;
	/* kp_core_stop; what cannot be restored keeps the engine. */
	take_registry();
	disarm(A);
	disarm(B);
	leave_registry();
	if
	:: armed[A] || armed[B]
	:: else ->
		wait_handlers(r);
		d_step {
			i = 0;
			do
			:: i < BYTES -> MUST(mem[i] == O, LEFT); i++
			:: else -> break
			od;
			i = 0
		};
		WAIT_TASKS(WAIT_HEADS, IN_HEADS);
		WAIT_TASKS(WAIT_SLOTS, IN_SLOTS);
		gone = 1
	fi
}

/* ---- executing it ------------------------------------------------------------------- */

#define ENGINE_CODE MUST(!gone, GONE)

/* Every byte from..to-1 can only be that. */
inline all_are(from, to, value)
{
	d_step {
		i = from;
		do
		:: i < to -> MUST(seen[i] == value, TORN); i++
		:: else -> break
		od;
		i = 0
	}
}

/* Instruction n, however, by r. */
inline executed(r, n)
{
	MUST(at[r] == n, WRONG);
	if
	:: IS_SITE(n) ->
		MUST(hit[r] || !(due[r] & BIT(SITE(n))), MISSED)
	:: else
	fi;
	hit[r] = 0;
	tried[r] = 0;
	at[r] = n + 1
}

/* A whole jump of x, or bytes that nobody wrote together. */
inline take_jump(r, x)
{
	if
	:: at[r] == AT(x) ->
		all_are(FIRST(x) + 1, FIRST(x) + PATCHED(x), J(x));
		all_are(FIRST(x) + PATCHED(x), FIRST(x) + SPAN, O);
		site[r] = x;
		pc[r] = HEAD
	:: else ->
		/* Only boundaries have a byte that traps. */
		MUST(INNER(x, at[r]), TORN);
		pc[r] = UD
	fi
}

inline fetch(r)
{
	due[r] = counts[A] + 2 * counts[B];
	if
	:: seen[START(at[r])] & O ->
		all_are(START(at[r]) + 1, START(at[r] + 1), O);
		executed(r, at[r]);
		due[r] = 0
	:: seen[START(at[r])] & I ->
		MUST(!(tried[r] && !lock && mem[START(at[r])] != I), FOREVER);
		pc[r] = BP
	:: seen[START(at[r])] & JA -> take_jump(r, A)
	:: seen[START(at[r])] & JB -> take_jump(r, B)
	fi
}

/* Is a jump there under which it lies?  Then the copy. */
#define LANDS(r, x) (in[x] && INNER(x, at[r]))

inline to_text(r)
{
	site[r] = 0;
	due[r] = 0;
	pc[r] = TEXT
}

/* The trap was nobody's, and what is there now is tried. */
inline again(r)
{
	tried[r] = !lock;
	changed[r] = 0;
	to_text(r)
}

inline land(r, x)
{
	changed[r] = 0;
	site[r] = x;
	pc[r] = CHAIN
}

#define CAN_BE_INTERRUPTED(p) (p == TEXT || p == SLOT || p == HEAD || p == CHAIN)

proctype runner(byte r)
{
	do
	:: atomic { pc[r] == TEXT && at[r] < END -> fetch(r) }
	:: atomic { pc[r] == TEXT && at[r] == END && saved_at[r] == END ->
		if
		:: at[r] = 0
		:: at[r] = 1
		:: at[r] = 2
		:: at[r] = 3
		fi }

	/* A signal, and the return from its handler. */
	:: atomic { r < signals && saved_at[r] == END && at[r] < END &&
		    CAN_BE_INTERRUPTED(pc[r]) ->
		saved_pc[r] = pc[r]; saved_at[r] = at[r];
		saved_site[r] = site[r]; saved_hit[r] = hit[r];
		saved_quiet[r] = quiet[r]; saved_due[r] = due[r];
		pc[r] = TEXT; at[r] = 0; site[r] = 0; hit[r] = 0;
		quiet[r] = 0; due[r] = 0; tried[r] = 0 }
	:: atomic { pc[r] == TEXT && at[r] == END && saved_at[r] < END ->
		pc[r] = saved_pc[r]; at[r] = saved_at[r];
		site[r] = saved_site[r]; hit[r] = saved_hit[r];
		quiet[r] = saved_quiet[r]; due[r] = saved_due[r];
		saved_pc[r] = TEXT; saved_at[r] = END;
		saved_site[r] = 0; saved_hit[r] = 0; saved_quiet[r] = 0;
		saved_due[r] = 0 }

	/* kp_core_on_trap: a reader; own_or_gone(). */
	:: atomic { pc[r] == BP -> ENGINE_CODE;
		changed[r] = 0; pc[r] = OWN }
	:: atomic { pc[r] == OWN -> ENGINE_CODE;
		if
		:: IS_SITE(at[r]) && armed[SITE(at[r])] -> pc[r] = OWN_ARMED
		:: else -> pc[r] = OTHER
		fi }
	:: atomic { pc[r] == OWN_ARMED -> ENGINE_CODE;
		if
		:: whole[SITE(at[r])] -> pc[r] = OTHER
		:: else -> site[r] = SITE(at[r]); changed[r] = 0; pc[r] = HIT
		fi }
	:: atomic { pc[r] == OTHER -> ENGINE_CODE;
		if
		:: LANDS(r, A) -> land(r, A)
		:: !LANDS(r, A) && LANDS(r, B) -> land(r, B)
		:: else -> pc[r] = READ
		fi }
	:: atomic { pc[r] == READ -> ENGINE_CODE;
		if
		:: mem[START(at[r])] != I && HAS(TRY_AGAIN) -> again(r)
		:: else -> pc[r] = AGAIN
		fi }
	:: atomic { pc[r] == AGAIN -> ENGINE_CODE;
		MUST(changed[r] && HAS(LOOK_AGAIN), LOST);
		changed[r] = 0;
		pc[r] = OWN }

	/* hit() and run_hit(): the child is found, then called. */
	:: atomic { pc[r] == HIT -> ENGINE_CODE;
		quiet[r] = !child[site[r]]; pc[r] = CALL }
	:: atomic { pc[r] == CALL -> ENGINE_CODE;
		if
		:: quiet[r]
		:: else ->
			MUST(!freed[site[r]], FREED);
			MUST(!hit[r], TWICE);
			hit[r] = 1
		fi;
		quiet[r] = 0; pc[r] = SLOT }
	:: atomic { pc[r] == SLOT -> ENGINE_CODE;
		executed(r, AT(site[r])); to_text(r) }

	/* A head, kp_core_on_detour, and into_body(). */
	:: atomic { pc[r] == HEAD -> ENGINE_CODE;
		quiet[r] = !child[site[r]]; pc[r] = ENTERED }
	:: atomic { pc[r] == ENTERED -> ENGINE_CODE;
		if
		:: quiet[r]
		:: else ->
			MUST(!freed[site[r]], FREED);
			MUST(!hit[r], TWICE);
			hit[r] = 1
		fi;
		quiet[r] = 0; pc[r] = DETOUR }
	:: atomic { pc[r] == DETOUR -> ENGINE_CODE;
		if
		:: in[site[r]] -> pc[r] = BODY
		:: else -> pc[r] = SLOT
		fi }
	/* The head's second half leads to the chain, or to the slot. */
	:: atomic { pc[r] == BODY -> ENGINE_CODE;
		if
		:: HAS_INNER(site[r]) -> pc[r] = CHAIN
		:: else -> pc[r] = SLOT
		fi }
	/* The copies, one after the other, then behind the last. */
	:: atomic { pc[r] == CHAIN -> ENGINE_CODE;
		executed(r, at[r]);
		if
		:: INNER(site[r], at[r])
		:: else -> to_text(r)
		fi }

	/* kp_core_on_fault: landing_fault(). */
	:: atomic { pc[r] == UD -> ENGINE_CODE;
		if
		:: LANDS(r, A) -> land(r, A)
		:: !LANDS(r, A) && LANDS(r, B) -> land(r, B)
		:: else -> pc[r] = STALE
		fi }
	:: atomic { pc[r] == STALE -> ENGINE_CODE;
		MUST(HAS(TRY_FAULT_AGAIN) && retried[r] != at[r] + 1, LOST);
		retried[r] = at[r] + 1;
		again(r) }
	od
}

c_code {
	static int setting(const char *name)
	{
		const char *value = getenv(name);

		return value ? atoi(value) : 0;
	}

	static void lay_out(int layout)
	{
		static const unsigned char starts[2][5] = {
			{ 0, 1, 3, 5, 7 }, { 0, 4, 5, 7, 8 },
		};

		memcpy(now.start, starts[layout == 4], sizeof(starts[0]));
		now.site_at[1] = layout == 2 ? 2 : 1;
		now.patched[0] = layout == 3 ? 1 : 4;
		now.patched[1] = layout == 1 ? 2 : 4;
	}
}

init {
	atomic {
		c_code {
			lay_out(setting("LAYOUT"));
			now.off = setting("OFF");
			now.signals = setting("SIGNALS");
			now.fails = setting("FAILS");
			now.cycles = setting("CYCLES");
		};
		i = 0;
		do
		:: i < BYTES -> mem[i] = O; seen[i] = O; i++
		:: else -> break
		od;
		i = 0;
		n = RUNNERS;
		do
		:: n > 0 -> n--; at[n] = END; run runner(n)
		:: else -> break
		od;
		n = 0;
		run patcher(A);
		run patcher(B);
		run worker()
	}
}
