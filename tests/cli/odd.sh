# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes load and unload on processes in odd states.
B=$build python3 "$here/process/odd.py"
