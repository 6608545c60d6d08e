# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A target's rights: neither more nor less than without us.
B=$build python3 "$here/process/rights.py"
