# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Visits of which a process must notice nothing, refused or not.

Owns: sleeps under a seccomp filter that knows nothing of restart_syscall; what each
command leaves when it is killed, for each other; what the kernel writes to a watched
page by itself; other processes on its memory;
threads that spin; a limit on locked memory.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

from common import (BUILD, COUNTER, HERE, KPROBES, OUT, PATIENCE, Victim, compile_all,
                    compile_one, difference, end, expect, kprobes, read, report, said,
                    soon, state_of)

AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


# ---- sleeps that would be taken up by restart_syscall -------------------------------


def filters():
    """A stop makes no thread call what its filter does not have."""
    compile_one("asleep", "asleep.c", "-pthread", "-Wno-misleading-indentation")
    for verdict, status in (("kill", 5), ("trap", 5), ("errno", 0)):
        for ms in (15, 700):
            with Victim(verdict, str(ms), program="asleep") as victim:
                pid = str(victim.pid)
                problem = ""
                for words in (("load", COUNTER, "symbol=asleep_tick", "-p", pid),
                              ("list", "-p", pid),
                              ("unload", "-a", "-p", pid),
                              ("load", COUNTER, "symbol=asleep_tick", "-p", pid),
                              ("enabled", "0", "-p", pid),
                              ("unload", "-a", "-p", pid)):
                    run = kprobes(*words)
                    if words[0] == "load" and run.returncode != status:
                        problem += said(run)
                    if run.returncode < 0 or victim.process.poll() is not None:
                        problem += said(run) + "after it the process is gone"
                        break
                for words in (("watch", "never:4:w", "-p", pid),
                              ("trace", "uprobe:asleep_tick { @ = count(); }", "-p", pid)):
                    with subprocess.Popen([KPROBES, *words], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL) as command:
                        time.sleep(0.3)
                        command.send_signal(signal.SIGINT)
                report(f"a filter's {verdict} for restart_syscall, sleeps of {ms} ms",
                       problem or victim.finish())


# ---- what a killed command leaves --------------------------------------------------------


COMMANDS = {
    "load": ("load", COUNTER, "symbol=stores_put"),
    "watch": ("watch", "stores_in:64:w"),
    "trace": ("trace", "uprobe:stores_put { @ = count(); }"),
    "list": ("list",),
    "unload": ("unload", "-a"),
}


def start(pid, words):
    return subprocess.Popen([KPROBES, *words, "-p", str(pid)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def takeovers():
    """
    Each command is killed, at any time, and each takes over what it leaves (kill.py: at
    each step).  All of it is a part of the long runs.
    """
    compile_one("stores", "stores.c", "-pthread")
    rng = random.Random(5)
    for first in COMMANDS if os.environ.get("KPROBES_KILLS") else ("watch", "unload"):
        problem = ""
        with Victim(program="stores") as victim:
            before = state_of(victim.pid)
            for second in [*COMMANDS, *COMMANDS]:
                if first == "unload":
                    kprobes(*COMMANDS["load"], "-p", victim.pid)
                for words in (COMMANDS[first], COMMANDS[second]):
                    with start(victim.pid, words) as command:
                        time.sleep(rng.uniform(0.003, 0.07))
                        command.kill()
                if victim.process.poll() is not None:
                    problem += f"it died after {second}\n"
                    break
            if problem:
                report(f"{first} is killed, and then another command",
                       problem + str(victim.finish()))
                continue
            kprobes(*COMMANDS["unload"], "-p", victim.pid)
            run = kprobes(*COMMANDS["load"], "-p", victim.pid)
            problem += said(run) if run.returncode else ""
            with start(victim.pid, COMMANDS["watch"]) as command:
                time.sleep(0.1)
                command.send_signal(signal.SIGINT)
            run = kprobes("unload", "-a", "-p", victim.pid)
            problem += said(run) if run.returncode else ""
            soon(lambda: not difference(before, state_of(victim.pid)))
            problem += difference(before, state_of(victim.pid))
            report(f"{first} is killed, and then another command", problem or victim.finish())


# ---- what the kernel writes by itself ------------------------------------------------------


def inheritances():
    """The kernel marks what a thread held when it ends, on a watched page, too."""
    compile_one("inherits", "inherits.c", "-pthread")
    for how in ("plain", "pi", "shared"):
        seen = 0
        with Victim(how, program="inherits") as victim:
            for seconds in (0.5, 0.3, 0.3):
                with subprocess.Popen([KPROBES, "watch", "page:64:w", "-p", str(victim.pid)],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True) as command:
                    time.sleep(seconds)
                    command.send_signal(signal.SIGINT)
                    words = command.communicate()[0]
                    seen += len(re.findall(r"^page", words, re.M))
            # A page is refused while somebody waits there for a PI mutex.
            problem = "" if seen or how == "pi" else "nothing was watched: " + words
            report(f"what a thread holds when it ends, {how}", victim.finish() or problem)


# ---- other processes on the memory -----------------------------------------------------------


def sharers():
    """Who has the memory, but not the handlers, is not killed by a breakpoint."""
    compile_one("shares", "shares.c", "-pthread")
    with Victim("before", program="shares") as victim:
        expect("a process that shares the memory: load is refused", 5, "load", COUNTER,
               "symbol=shares_work", "-p", victim.pid, says="clone with CLONE_VM")
        report("... and lives", victim.finish())
    with Victim("spawns", program="shares") as victim:
        problem = ""
        for _ in range(25):
            for words in (("load", COUNTER, "symbol=shares_work"), ("unload", "-a")):
                run = kprobes(*words, "-p", victim.pid)
                problem += said(run) if run.returncode else ""
        report("programs that are started while it is attached to and left",
               problem or victim.finish())


# ---- nobody rests -------------------------------------------------------------------------------


def spinning():
    """Threads that make no calls, with signals all the time, can be borrowed."""
    compile_one("spins", "spins.c", "-pthread")
    with Victim(program="spins", before=("nice",)) as victim:
        for words in (("load", COUNTER, "symbol=spins_work"), ("list",), ("unload", "-a")):
            expect(f"threads that spin, and signals: {words[0]}", 0, *words, "-p", victim.pid)
        report("... undisturbed", victim.process.poll() is not None and "it has died")


# ---- limits ----------------------------------------------------------------------------------


def locked():
    """All that is mapped is locked, and little may be: nothing stays of a refusal."""
    compile_one("locks", "locks.c")
    where = tempfile.mkdtemp()
    os.chmod(where, 0o755)
    program = shutil.copy(os.path.join(OUT, "locks"), where)
    with Victim(program=program,
                before=("prlimit", "--memlock=8388608:8388608", *AS_NOBODY)) as victim:
        def state():
            return {"maps": re.findall(r"VmLck.*|VmSize.*", read(f"/proc/{victim.pid}/status"))}

        before = state()
        for words in (COMMANDS["load"][:2] + ("symbol=locks_tick",),
                      ("trace", "uprobe:locks_tick { @ = count(); }"),
                      ("watch", "0x1000:4:w")):
            expect(f"locked memory: {words[0]} is refused", 5, *words, "-p", victim.pid,
                   says="locks all memory that it maps")
        report("... and nothing is left", difference(before, state()) or victim.finish())
    shutil.rmtree(where)
    with Victim(program="locks") as victim:
        # Who may lock as much as it wants is attached to.  What stays is inert.
        run = kprobes("load", COUNTER, "symbol=locks_nothing", "-p", victim.pid)
        problem = "" if run.returncode == 3 else said(run)
        ours = re.findall(r"(?m)^\w+-\w+ .*libkprobes\.so\n(?:\w+:.*\n)+",
                          read(f"/proc/{victim.pid}/smaps"))
        locked = [mapping for mapping in ours if re.search(r"VmFlags:.* lo( |$)", mapping)]
        resident = sum(int(kb) for kb in re.findall(r"Rss: +(\d+)", read(
            f"/proc/{victim.pid}/smaps")))
        problem += "" if ours and not locked else f"locked: {locked[:1]} of {len(ours)}"
        problem += "" if resident < 9000 else f"{resident} KB are in memory"
        report("locked memory without a limit: what stays of a refusal is not locked",
               problem or victim.finish())


compile_all()
filters()
takeovers()
inheritances()
sharers()
spinning()
locked()
end()
