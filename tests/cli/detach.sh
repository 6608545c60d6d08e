# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Leaving a process whose threads are in the middle of probed code.
B=$build python3 "$here/process/detach.py"
