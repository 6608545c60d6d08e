# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes load and unload on programs that are built with sanitizers.
B=$build python3 "$here/process/sanitizers.py"
