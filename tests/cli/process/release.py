# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Memory that goes when a process is left.

Owns: that nothing goes that a thread comes back to, however late: a program whose
threads are interrupted anywhere and go on later, with probes on its functions, in
and out; or wait in calls with a return probe; that what stays for one address goes
when that is forgotten; and that many numbers which only look like addresses keep no
more than these.
KPROBES_ROUNDS: how often.
"""
import os
import re
import subprocess
import time

import common
from common import BUILD, OUT, ROOT, Program, kprobes, read, report, said

ROUNDS = int(os.environ.get("KPROBES_ROUNDS", "6"))
MANY = 2000
LIST = os.path.join(OUT, "release-functions")
MODULE = os.path.join(OUT, "release.so")


def build():
    os.makedirs(OUT, exist_ok=True)
    common.compile_one("release", "release.c", "-pthread")
    common.compile_one("release.so", "../../programs/all.c", "-fPIC", "-shared",
                       f"-I{ROOT}/include", f"-I{ROOT}/host/linux-user/include",
                       f"-I{ROOT}/arch/x86/include", f"-L{BUILD}", "-lkprobes",
                       '-DKBUILD_MODNAME="all"')


class Target(Program):
    def __init__(self, *words):
        self.process = subprocess.Popen(
            [os.path.join(OUT, "release"), *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.process.stdout.readline()
        self.pid = self.process.pid
        self.functions = self.find()
        with open(LIST, "w", encoding="ascii") as out:
            out.writelines(f"{address:x}\n" for address in self.functions)

    def find(self):
        base = min(int(line.split("-")[0], 16)
                   for line in read(f"/proc/{self.pid}/maps").splitlines()
                   if line.endswith("/release"))
        names = subprocess.run(["nm", os.path.join(OUT, "release")], text=True,
                               stdout=subprocess.PIPE, check=True).stdout
        return [base + int(line.split()[0], 16) for line in names.splitlines()
                if re.search(r" released_\d+$", line)]

    def keep(self, address, nr=1):
        """It and those that follow, and no others."""
        self.say(f"{address:x} {nr}")

    def say(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def ours(self):
        """(start, end) of executable memory that has no file."""
        found = []
        for line in read(f"/proc/{self.pid}/maps").splitlines():
            words = line.split()
            if len(words) == 5 and "x" in words[1]:
                found.append(tuple(int(x, 16) for x in words[0].split("-")))
        return found

    def has(self, where):
        return any(start <= where < end for start, end in self.ours())

    def text(self):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as mem:
            found = b""
            for address in self.functions:
                mem.seek(address)
                found += mem.read(8)
            return found

    def load(self, returns=0):
        run = kprobes("load", MODULE, f"file={LIST}", f"pid={self.pid}",
                      f"returns={returns}", "-p", self.pid)
        return said(run) if run.returncode else ""

    def until_jumps(self):
        for _ in range(200):
            if "[OPTIMIZED]" in kprobes("list", "-p", self.pid).stdout:
                return ""
            time.sleep(0.02)
        return "no jump\n"

    def unload(self):
        """A coroutine may wait in a copied instruction for a moment."""
        for _ in range(20):
            run = kprobes("unload", "-a", "-p", self.pid)
            if not run.returncode:
                return ""
        return said(run)

    def finish(self):
        out = self.process.communicate(timeout=20)[0]
        return None if self.process.returncode == 0 and "fine" in out else \
            f"status {self.process.returncode}: {out[-300:]}"


def interrupted_anywhere():
    """Jumps, breakpoints, return probes; long and short."""
    problem = ""
    with Target() as target:
        before = target.text()
        for i in range(ROUNDS):
            problem += target.load(returns=int(i % 4 == 3))
            if i % 2 == 0:
                problem += target.until_jumps()
            time.sleep(0.003 * (i % 7))
            problem += target.unload()
            if target.process.poll() is not None:
                problem += f"round {i}: it ended\n"
            elif target.text() != before:
                problem += f"round {i}: its text differs\n"
            if problem:
                break
        report(f"interrupted anywhere: {ROUNDS} times in and out", problem)
        report("interrupted anywhere: every answer is right", target.finish())


def until_gone(target, where):
    """What a stack still says may keep it longer."""
    for _ in range(20):
        problem = target.load() + target.until_jumps() + target.unload()
        if problem or not target.has(where):
            return problem
    return f"{where:x} is still there"


def kept_for_one():
    """An address in memory keeps what it leads to, as long as it stands there."""
    with Target("still") as target:
        problem = target.load() + target.until_jumps()
        held = [page for start, end in target.ours()
                for page in range(start, end, 4096)]
        problem += target.unload()
        # Copies of system calls stay.
        held = [page for page in held if not target.has(page)]
        held = held[::max(1, len(held) - 1)]
        for start in held:
            problem += target.load() + target.until_jumps()
            target.keep(start)
            problem += target.unload()
            if not target.has(start):
                problem += f"{start:x} has gone, but is remembered\n"
            target.keep(0, 0)
            problem += until_gone(target, start)
            if problem:
                break
        report(f"an address in memory keeps what it leads to, {len(held)} times",
               problem or (None if held else "there was nothing of ours"))
        report("an address in memory: every answer is right", target.finish())


def goes_beside(target, held, start):
    """Many numbers that look like places in one page: it stays, others go."""
    problem = target.load() + target.until_jumps()
    target.keep(start, MANY)
    problem += target.unload()
    found = target.has(start) and not all(target.has(page) for page in held)
    target.keep(0, 0)
    return problem, found


def kept_for_many():
    """More than a request takes; among copies, and where none is."""
    with Target("still") as target:
        problem = target.load() + target.until_jumps()
        held = [page for start, end in target.ours()
                for page in range(start, end, 4096)]
        problem += target.unload()
        found = []
        for start in held:
            more, stays = goes_beside(target, held, start)
            problem += more
            if stays or problem:
                found.append(start)
                break
        # In a hub nobody can tell who was led there: then all of it stays.
        if not problem and not found:
            problem = "all stays, whatever the numbers are"
        if not problem:
            problem = until_gone(target, found[0])
        report(f"{MANY} numbers that look like addresses keep what they lead to",
               problem)
        report("numbers like addresses: every answer is right", target.finish())


def calls_that_wait():
    """
    With return probes: each call comes back to its caller, when the process was
    left, and probed again, meanwhile.
    """
    with Target("still") as target:
        before, problem = target.text(), ""
        for _ in range(ROUNDS):
            problem += target.load(returns=1) + target.until_jumps()
            target.say("!")
            problem += target.unload()
            if target.text() != before:
                problem += "its text differs\n"
        for _ in range(ROUNDS // 2):
            target.say(".")
            problem += target.load(returns=1) + target.unload()
        report("calls that wait: in and out, with and without one more", problem)
        report("calls that wait: each returns to its caller", target.finish())


build()
interrupted_anywhere()
kept_for_one()
kept_for_many()
calls_that_wait()
common.end()
