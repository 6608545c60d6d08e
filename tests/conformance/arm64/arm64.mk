# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What of the suite is x86's alone so far: lacking.c says so.

CONF_NOT := tests/conformance/intact.c
