# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Visits that leave no trace: those that are refused, and those of which a program must not notice.
B=$build python3 "$here/process/visits.py"
