# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probe modules that would harm a process.
B=$build python3 "$here/process/trial.py"
