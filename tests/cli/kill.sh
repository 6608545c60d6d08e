# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command is killed at any moment (make torture: 200 times; 15 here).
B=$build python3 "$here/process/kill.py" "${KPROBES_KILLS:-15}"
