# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
B=$build python3 "$here/process/release.py"
