/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - what detour_entry.S, call_entry.S and return.S assume of the core's structs.
 *
 * Owns: the assertions; return_asm.h and the files' own heads have the numbers.
 * core/layout.c includes it.
 */
#ifndef KP_X86_LAYOUT_H
#define KP_X86_LAYOUT_H

_Static_assert(offsetof(struct kp_site, addr) == 0, "detour_entry.S: SITE_ADDR");
_Static_assert(offsetof(struct kp_site, keep) == 8, "detour_entry.S: SITE_KEEP");
_Static_assert(offsetof(struct kp_site, jump) == 12, "detour_entry.S: SITE_JUMP");
_Static_assert(offsetof(struct kp_site, lean) == 16, "detour_entry.S: SITE_LEAN");
_Static_assert(offsetof(struct kp_site, lean_post) == 24, "SITE_LEAN_POST");
_Static_assert(offsetof(struct kp_site, first) == 32, "detour_entry.S: SITE_FIRST");
_Static_assert(offsetof(struct kp_site, step) == 40, "detour_entry.S: SITE_STEP");
_Static_assert(offsetof(struct kp_site, arch.len) == 137, "detour_entry.S: SITE_LEN");
_Static_assert(offsetof(struct kp_site, detour) == 48, "detour_entry.S: SITE_DETOUR");
_Static_assert(offsetof(struct kp_detour, chain) == 0, "DETOUR_CHAIN");
_Static_assert(offsetof(struct kp_site, kept) == 64, "detour_entry.S: SITE_KEPT");
_Static_assert(offsetof(struct kp_child, keep) == 49, "detour_entry.S: CHILD_KEEP");
_Static_assert(KP_JUMP_IN == 1, "detour_entry.S: JUMP_IN");
_Static_assert(offsetof(struct kp_child, kp) == 0, "detour_entry.S: CHILD_KP");
_Static_assert(offsetof(struct kp_child, lean) == 8, "detour_entry.S: CHILD_LEAN");
_Static_assert(offsetof(struct kp_child, lean_post) == 16, "CHILD_LEAN_POST");
_Static_assert(offsetof(struct kp_child, pre) == 24, "detour_entry.S: CHILD_PRE");
_Static_assert(offsetof(struct kp_child, calls) == 48 && KP_LEAN_CALLS == 2,
	       "detour_entry.S: CHILD_CALLS, LEAN_CALLS");
_Static_assert(offsetof(struct kp_child, filters) == 50, "CHILD_FILTERS");
_Static_assert(offsetof(struct kp_child, site) == 32, "detour_entry.S: CHILD_SITE");
_Static_assert(offsetof(struct kp_child, run) == 40, "detour_entry.S: CHILD_RUN");

_Static_assert(offsetof(struct kp_context, returning) == KP_ARCH_CTX_RETURNING,
	       "return.S");
_Static_assert(offsetof(struct kp_node, ri) == KP_ARCH_NODE_RI, "return.S");
/* call_entry.S and return.S. */
_Static_assert(offsetof(struct kp_node, real) == KP_ARCH_NODE_REAL &&
	       offsetof(struct kp_node, pool) == KP_ARCH_NODE_POOL &&
	       offsetof(struct kp_node, entry) == KP_ARCH_NODE_ENTRY &&
	       offsetof(struct kp_node, state) == KP_ARCH_NODE_STATE &&
	       offsetof(struct kp_node, parked) == KP_ARCH_NODE_PARKED &&
	       offsetof(struct kp_node, called) == KP_ARCH_NODE_CALLED &&
	       offsetof(struct kp_node, frame) == KP_ARCH_NODE_FRAME &&
	       offsetof(struct kp_node, below) == KP_ARCH_NODE_BELOW &&
	       offsetof(struct kp_node, site) == KP_ARCH_NODE_SITE &&
	       offsetof(struct kp_node, task.stamp) == KP_ARCH_NODE_STAMP &&
	       offsetof(struct kp_node, body) == KP_ARCH_NODE_BODY &&
	       offsetof(struct kp_node, ri.ret_addr) ==
		       KP_ARCH_NODE_RET_ADDR, "struct kp_node");
_Static_assert(KP_NODE_FREE == 0 && KP_NODE_TAKEN == 1 &&
	       KP_NODE_ACTIVE == 2 && KP_NODE_STATES == 4,
	       "they count a node's state on");
_Static_assert(offsetof(struct kp_pool, rp) == KP_ARCH_POOL_RP &&
	       offsetof(struct kp_pool, lean) == KP_ARCH_POOL_LEAN &&
	       offsetof(struct kp_pool, lean_child) == KP_ARCH_POOL_LEAN_CHILD &&
	       offsetof(struct kp_pool, parked) == KP_ARCH_POOL_PARKED,
	       "struct kp_pool");
_Static_assert(offsetof(struct kretprobe, handler) == KP_ARCH_RP_HANDLER &&
	       offsetof(struct kretprobe, entry_handler) ==
		       KP_ARCH_RP_ENTRY_HANDLER, "struct kretprobe");
_Static_assert(offsetof(struct kp_site, jump) == KP_ARCH_SITE_JUMP &&
	       offsetof(struct kp_site, calls) == KP_ARCH_SITE_CALLS,
	       "struct kp_site");
_Static_assert(offsetof(struct kp_stub_span, len) == 8, "kp_stub_span");
_Static_assert((KP_FRAME_RETURN | KP_FRAME_LEAN) == KP_ARCH_FRAME_LEAN,
	       "return.S");
_Static_assert(KP_ARCH_SLOT_LEN == 128, "detour_entry.S: SLOT_LEN, SLOT_SITE");

#endif
