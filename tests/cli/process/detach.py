# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes unload where threads are in heads, slots, chains and returns.

Owns: that they come out of them, or may rest in them, when the signal handlers
have gone; that the program's descriptors are its own; and where text cannot be
written any more, that the handlers stay.
"""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from common import (COUNTER, Victim, compile_all, descriptors_of, difference,
                    end, expect, kprobes, read, report, said, soon, state_of,
                    threads_of)


def several(name, rounds, load, *kinds, optimization=True, between=None):
    """In and out, as often; nothing is noticed and nothing is left."""
    problem = ""
    with Victim(*kinds) as victim:
        before = state_of(victim.pid)
        for i in range(rounds):
            run = kprobes("load", COUNTER, *load, "-p", victim.pid)
            if run.returncode:
                problem += f"round {i}: {said(run)}"
                break
            if not optimization:
                kprobes("optimization", "0", "-p", victim.pid)
            if between:
                problem += between(victim, i) or ""
            run = kprobes("unload", "-a", "-p", victim.pid)
            if run.returncode:
                problem += f"round {i}: {said(run)}"
        report(f"{name}: in and out", problem)
        report(f"{name}: as before", difference(before, state_of(victim.pid)))
        report(f"{name}: undisturbed", victim.finish())


def until_jumps(victim, _):
    """The worker has come; what has no jump then gets none."""
    def jumps():
        return "[OPTIMIZED]" in kprobes("list", "-p", victim.pid).stdout

    return None if soon(jumps) else "no jump: " + said(kprobes("list", "-p", victim.pid))


def at_once(_, i):
    time.sleep(0.005 * (i % 8))


def in_a_wait(victim, _):
    time.sleep(0.4)


def in_a_handler(victim, _):
    """It waits in the slot; a handler of the program's interrupts it there."""
    time.sleep(0.4)
    for tid in threads_of(victim.pid):
        name = read(f"/proc/{victim.pid}/task/{tid}/comm")
        if tid != victim.pid and name == "victim\n":
            ctypes.CDLL(None).tgkill(victim.pid, tid, signal.SIGUSR1)
    time.sleep(0.05)


def descriptors_taken():
    """The program closes ours, and has files of its own at their numbers."""
    with Victim("masks", "busy") as victim:
        before = state_of(victim.pid)
        run = kprobes("load", COUNTER, "symbol=victim_target", "-p",
                      victim.pid)
        victim.tell(b"c")
        before["descriptors"] = [one for one in descriptors_of(victim.pid)
                                 if int(one[0]) < 200]
        if not run.returncode:
            run = kprobes("unload", "-a", "-p", victim.pid)
        report("descriptors taken: detached",
               said(run) if run.returncode else None)
        report("descriptors taken: as before",
               difference(before, state_of(victim.pid)))
        report("descriptors taken: undisturbed", victim.finish())


def numbers_again():
    """The linker knows the numbers of modules whose files are closed."""
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        print("skip detach: numbers again: no mount namespace", flush=True)
        return
    problem = ""
    where = tempfile.mkdtemp()
    # Out of its sight: loaded from a descriptor.
    with Victim("busy", before=("unshare", "-m", "sh", "-c",
                                f"mount -t tmpfs none '{where}' && "
                                "exec \"$@\"", "sh")) as victim:
        for i in range(6):
            copy = shutil.copy(COUNTER, f"{where}/{i}.so")
            run = kprobes("load", copy, "symbol=victim_target", "-p",
                          victim.pid)
            if run.returncode:
                problem += f"module {i}: {said(run)}"
            if i % 2:
                victim.tell(b"x")
        maps = read(f"/proc/{victim.pid}/maps")
        # Each from a copy: none that could be opened again by the process.
        loaded = len(set(re.findall(r"(?m)/memfd:\d\.so \(deleted\)$", maps)))
        if loaded != 6:
            problem += f"{loaded} files are mapped\n"
        run = kprobes("unload", "-a", "-p", victim.pid)
        if run.returncode:
            problem += said(run)
        report("numbers again: each module is its own file's", problem)
        report("numbers again: undisturbed", victim.finish())
    shutil.rmtree(where)


class Freezer:
    """A control group whose threads get no processor; None where there is none."""

    def __init__(self):
        self.where = tempfile.mkdtemp()
        self.group = f"{self.where}/kprobes-test"
        self.usable = not subprocess.run(
            ["mount", "-t", "cgroup", "-o", "freezer", "none", self.where],
            stderr=subprocess.DEVNULL, check=False).returncode
        if self.usable:
            os.makedirs(self.group, exist_ok=True)

    def write(self, name, text):
        with open(f"{self.group}/{name}", "w", encoding="ascii") as file:
            file.write(str(text))

    def freeze(self, tid):
        self.write("tasks", tid)
        self.write("freezer.state", "FROZEN")

    def thaw(self):
        self.write("freezer.state", "THAWED")

    def remove(self):
        if self.usable:
            os.rmdir(self.group)
            subprocess.run(["umount", self.where], check=True)
        os.rmdir(self.where)


def no_processor():
    """A thread gets none, so it does not stop: for a while, then for too long."""
    freezer = Freezer()
    if not freezer.usable:
        print("skip detach: no processor: no control group freezes one thread here",
              flush=True)
        freezer.remove()
        return
    with Victim("spin") as victim:
        before = state_of(victim.pid)
        tid = next(one for one in threads_of(victim.pid) if one != victim.pid)
        # At none that this thread meets: it is in no handler.
        kprobes("load", COUNTER, "symbol=victim_wait", "-p", victim.pid)
        thawing = threading.Timer(60, freezer.thaw)
        thawing.start()
        freezer.freeze(tid)
        expect("no processor for too long: it says who", 1, "unload", "-a", "-p",
               victim.pid, says=f"thread {tid} cannot be stopped now")
        thawing.cancel()
        thawing = threading.Timer(3, freezer.thaw)
        thawing.start()
        run = kprobes("unload", "-a", "-p", victim.pid)
        thawing.join()
        report("no processor for a while: detached",
               said(run) if run.returncode else None)
        report("no processor: as before", difference(before, state_of(victim.pid)))
        report("no processor: undisturbed", victim.finish())
    freezer.remove()


def text_refused(name, *switch):
    """Breakpoints that cannot be removed keep their handlers."""
    with Victim("masks", "busy") as victim:
        kprobes("load", COUNTER, "symbol=victim_target", "-p", victim.pid)
        if switch:
            kprobes(*switch, "-p", victim.pid)
        victim.tell(b"r")
        expect(f"{name} stay: does not detach", 1, "unload", "-a", "-p",
               victim.pid, says="cannot be left cleanly")
        time.sleep(0.2)
        report(f"{name} stay: undisturbed", victim.finish())


compile_all()
several("jumps everywhere", 5, ("symbol=victim_mix", "every=1"), "mixes",
        "mixes", "mixes", between=until_jumps)
several("jumps come and go", 12, ("symbol=victim_mix", "every=1"), "mixes",
        "mixes", between=at_once)
several("breakpoints everywhere", 4, ("symbol=victim_mix", "every=1"), "mixes",
        "mixes", optimization=False)
for what, jumps in (("jumps", True), ("breakpoints", False)):
    several(f"asleep in a copied system call, {what}", 2,
            ("symbol=victim_call", "post=1"), "calls", optimization=jumps,
            between=in_a_wait)
    several(f"interrupted in a copied system call, {what}", 2,
            ("symbol=victim_call", "post=1"), "handler", "calls",
            optimization=jumps, between=in_a_handler)
several("asleep in a function with a return probe", 2,
        ("symbol=victim_wait", "ret=1"), "within", between=in_a_wait)
several("a handler runs, and the thread's first hit was its vfork child's", 1,
        ("linger=300",), "vforks", between=in_a_wait)
descriptors_taken()
numbers_again()
no_processor()
text_refused("probes")
text_refused("the library's breakpoints", "enabled", "0")
end()
