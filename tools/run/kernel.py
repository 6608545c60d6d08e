# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Owns the kernel part of `make run`: kernels in QEMU, with kprobes.ko.

Debian's own kernel, whose built-in Kprobes are left alone, and the small kernel
without Kprobes when tools/vm/kernel.sh has built it before.
"""

import re
import subprocess

import report
import steps
from steps import Failed, out, step

SECONDS = 120
WORDS = {"stock": "Debian's kernel", "small": "a kernel without Kprobes"}


def is_cached(flavour):
    return subprocess.run(["tools/vm/kernel.sh", "--cached", flavour], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def build_modules(build, work, flavour, directory):
    steps.make(build, f"{work}/{flavour}-build.log", "run-kernel", f"KDIR={directory}/kdir")
    with open(f"{directory}/release", encoding="utf-8") as file:
        return file.read().strip()


def boot(build, work, flavour, release):
    return steps.call(
        ["tools/vm/run", "--kernel", flavour, "--timeout", str(SECONDS),
         "--log", f"{work}/{flavour}-console.log", "--script", "tools/run/guest.sh",
         "--files", f"/test/kprobes.ko={build}/module/{release}/kprobes.ko",
         f"/test/hotspots.ko={work}/{release}/hotspots.ko"],
        f"{work}/{flavour}.log", timeout=SECONDS + 60)


def show_one(build, work, flavour):
    with step(f"provide {WORDS[flavour]}") as result:
        directory = steps.call_aloud(["tools/vm/kernel.sh", flavour])
        with open(f"{directory}/release", encoding="utf-8") as file:
            result.words = file.read().strip()
    with step(f"build kprobes.ko and hotspots.ko for {WORDS[flavour]}"):
        release = build_modules(build, work, flavour, directory)
    with step(f"boot {WORDS[flavour]} in QEMU, probe it, unload all"):
        text = boot(build, work, flavour, release)
    lines = report.read(text)
    report.show(lines)
    report.check(lines)
    said = re.search(r"^guest: (.*)", text, re.MULTILINE)
    if not said:
        raise Failed(f"the guest did not say how it ended; see {work}/{flavour}.log")
    out(f"  {said[1]}")


def show(build, work):
    show_one(build, work, "stock")
    if is_cached("small"):
        show_one(build, work, "small")
    else:
        out("run: the kernel without Kprobes is not built yet; "
            "`tools/vm/kernel.sh small` builds it (about ten minutes)")
