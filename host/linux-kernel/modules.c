// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * modules.c - modules that come and go.
 *
 * Owns: the module notifier.
 *
 *   COMING  the module's part of the blacklist is added, unless we are going
 *   LIVE    its init section is about to be freed: probes there are GONE
 *   GOING   all of it is about to be freed: probes there are GONE, and the
 *           blacklist forgets it
 *
 * Probes of its own, whose struct or handlers are about to be freed, are dropped first: also
 * of a module whose init function has failed.
 *
 * At each, what has been asked of the kernel's own blacklist is forgotten.
 *
 * The kernel sets the state first, then calls us, then frees.  The core takes
 * the registry lock in kp_core_on_text_gone, so whoever found the module in
 * text_query and still holds that lock is done before it is freed.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include "compat/module_text.h"
#include "local.h"

static void text_gone(struct kp_text_part part)
{
	if (!part.len)
		return;
	kp_core_on_text_gone(part.base, part.len);
	kp_core_blacklist_remove(part.base, part.len);
}

static void owner_gone(const struct module *mod, bool init)
{
	struct kp_text_part part;
	int i;

	for (i = 0; i < KP_MODULE_PARTS; i++)
		if (kp_module_part(mod, init, i, &part))
			kp_core_on_owner_gone(mod->name, part.base, part.len);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (mod == THIS_MODULE)
		return NOTIFY_DONE;
	kp_reserved_forget();
	switch (state) {
	case MODULE_STATE_COMING:
		kp_noprobe_module(mod);
		break;
	case MODULE_STATE_LIVE:
		owner_gone(mod, true);
		text_gone(kp_module_init(mod));
		break;
	case MODULE_STATE_GOING:
		owner_gone(mod, true);
		owner_gone(mod, false);
		text_gone(kp_module_init(mod));
		text_gone(kp_module_core(mod));
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = {
	.notifier_call = on_module,
	/* First, so that nobody can probe what is not blacklisted yet. */
	.priority = INT_MAX,
};

/*
 * The kernel's list of modules is a ring, and we are in it.  Its head is in no module;
 * each of the others is in its own.  Preemption is off.
 */
static struct module *module_of(struct list_head *entry)
{
	return kp_kernel_module_address((uintptr_t)entry) ?
		       list_entry(entry, struct module, list) : NULL;
}

/* The next one that is live, held, so that it stays where it is in the ring. */
static struct module *next_held(struct module *mod)
{
	struct list_head *entry = &mod->list;
	struct module *next;

	preempt_disable();
	do {
		entry = READ_ONCE(entry->next);
		next = module_of(entry);
	} while (next != THIS_MODULE &&
		 !(next && next->state == MODULE_STATE_LIVE &&
		   try_module_get(next)));
	preempt_enable();
	return next;
}

/* Modules loaded before us: none can be a consumer, but all have marks. */
static void add_present(void)
{
	struct module *mod = next_held(THIS_MODULE), *held;

	while (mod != THIS_MODULE) {
		kp_noprobe_module(mod);
		held = mod;
		mod = next_held(mod);
		module_put(held);
	}
}

int kp_modules_start(void)
{
	int err = register_module_notifier(&module_notifier);

	if (!err)
		add_present();
	return err;
}

void kp_modules_stop(void)
{
	unregister_module_notifier(&module_notifier);
}
