# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes load and unload on running processes.
B=$build python3 "$here/process/attach.py"
