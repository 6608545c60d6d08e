/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/list.h - list heads as they appear in the public structures.
 *
 * Owns: the few operations that probe modules use on them.
 */
#ifndef KP_SHIM_LINUX_LIST_H
#define KP_SHIM_LINUX_LIST_H

#include <linux/types.h>

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

#endif
