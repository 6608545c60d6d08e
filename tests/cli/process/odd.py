# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes load and unload on processes in odd states.

Owns: that each is attached to, or refused with the right reason, and is not
harmed; that who waits in a system call does not notice; that a process whose
dynamic linker is busy is left as it was.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from common import (COUNTER, OUT, PATIENCE, Program, ROOT, compile_all, compile_one, end,
                    kprobes, report, said)

ODD = os.path.join(OUT, "odd")
PLUG = os.path.join(OUT, "plug.so")
AGAIN = os.path.join(OUT, "again.so")  # the counter by another name


class Odd(Program):
    def __init__(self, *words, ready=True):
        self.process = subprocess.Popen(
            [ODD, *map(str, words)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pid = self.process.pid
        if ready:
            self.process.stdout.readline()

    def finish(self, **options):
        """None, or what is wrong with how it ended."""
        try:
            out = self.process.communicate(timeout=PATIENCE, **options)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            out = self.process.communicate()[0] + "did not end"
            return out
        if self.process.returncode:
            return f"status {self.process.returncode}: {out}"
        return None


def in_and_out(pid):
    """What went wrong, or None."""
    run = kprobes("load", COUNTER, "symbol=opendir", "-p", pid)
    if run.returncode:
        return f"load: {said(run)}"
    run = kprobes("unload", "-a", "-p", pid)
    return f"unload: {said(run)}" if run.returncode else None


def attached(name, *words, rounds=1):
    with Odd(*words) as odd:
        problem = None
        for _ in range(rounds):
            problem = problem or in_and_out(odd.pid)
        report(f"{name}: in and out", problem)
        report("... and is not harmed", odd.finish())


def refused(name, status, says, *words):
    with Odd(*words) as odd:
        run = kprobes("load", COUNTER, "symbol=opendir", "-p", odd.pid)
        words = run.stdout + run.stderr
        report(f"{name}: is refused", (run.returncode not in status or
                                       not re.search(says, words)) and
               f"not {status} with {says}; {said(run)}")
        report("... and is not harmed", odd.finish())


def fifo():
    """No descriptor says "pipe": it has a name."""
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "fifo")
        os.mkfifo(path)
        with Odd("fifo", path) as odd:
            report("one reads a named pipe, others wait for it: in and out",
                   in_and_out(odd.pid) or in_and_out(odd.pid))
            with open(path, "w", encoding="ascii") as file:
                file.write("e")
            report("... and is not harmed", odd.finish())


def futex():
    with Odd("futex") as odd:
        report("all wait for a futex by syscall(2): in and out",
               in_and_out(odd.pid))
        report("... and is not harmed", odd.process.poll() is not None and
               f"status {odd.process.returncode}")


def execs():
    with Odd("exec", int(time.time()) + 4, ready=False) as odd:
        problem, rounds = "", 0
        while odd.process.poll() is None and not problem and rounds < 40:
            run = kprobes("load", COUNTER, "symbol=opendir", "-p", odd.pid)
            rounds += 1
            if run.returncode and not re.search(
                    "begun another program|has ended|there is no process|"
                    "does not answer|dropped the request|not listen",
                    run.stderr):
                problem = said(run)
        report("one that begins itself anew: the reason is right", problem)
        report("... and is not harmed", odd.finish())


def traced():
    """It begins another program while its threads come to be traced."""
    with Odd("traced") as odd:
        try:
            run = kprobes("load", COUNTER, "symbol=opendir", "-p", odd.pid)
            problem = (run.returncode and "begun another program"
                       not in run.stderr and said(run))
        except subprocess.TimeoutExpired:
            problem = "they wait for each other"
        report("one that begins another program when it is traced", problem)
        report("... and is not harmed", odd.finish())


def changed_root():
    with tempfile.TemporaryDirectory() as where:
        for path in ("/lib64/ld-linux-x86-64.so.2", ODD,
                     "/lib/x86_64-linux-gnu/libc.so.6"):
            to = where + (path if path != ODD else "/odd")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            subprocess.run(["cp", "-L", path, to], check=True)
        process = subprocess.Popen(["chroot", where, "/odd"],
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        if process.stdout.readline():
            run = kprobes("load", COUNTER, "symbol=opendir", "-p", process.pid)
            report("a changed root without /proc: is refused",
                   (run.returncode != 5 or "no /proc" not in run.stderr) and
                   said(run))
        else:
            print("skip odd: no changed root here", flush=True)
        process.communicate()
        report("... and is not harmed", process.returncode and
               f"status {process.returncode}")


def plug():
    with Odd("plug", PLUG) as odd:
        time.sleep(0.2)
        report("its linker waits for the thread that is borrowed: in and out",
               in_and_out(odd.pid))
        report("... and is not harmed", odd.finish())


def undisturbed(out):
    lines = [line for line in out.splitlines()
             if not re.search(": well ", line) and "counter:" not in line]
    return "\n".join(lines)


def ways():
    with Odd("ways", 8) as odd:
        time.sleep(1)
        problem = in_and_out(odd.pid)
        out = odd.process.communicate(timeout=PATIENCE)[0]
        report("all ways to wait at once: in and out", problem)
        report("... and none was disturbed", undisturbed(out) or
               (": well " not in out and "nothing was tried"))


# In odd.c's order: the kernel keeps how much is left, or there is no end.
EXACT = ("poll", "select", "nanosleep", "futex", "waitpid", "read",
         "a call of its own")
# The kernel forgets how much: they begin anew, and are late, but do not fail.
ANEW = ("epoll_wait", "epoll_pwait2", "sigtimedwait", "semtimedop",
        "read, SO_RCVTIMEO", "recv, SO_RCVTIMEO", "write, SO_SNDTIMEO",
        "connect, SO_SNDTIMEO", "io_uring_enter")
SINGLE_S = 8


def all_commands(odd):
    """What went wrong, with breakpoints at a call and where memory is mapped; and
    how many seconds each command took."""
    problem, took = "", []
    for words in (("load", COUNTER, "symbol=odd_call"), ("list",),
                  ("optimization", "0"), ("load", AGAIN, "symbol=mmap"),
                  ("list",), ("unload", AGAIN), ("unload", "-a"),
                  ("load", COUNTER, "symbol=opendir"), ("unload", "-a")):
        begin = time.monotonic()
        run = kprobes(*words, "-p", odd.pid)
        took.append(time.monotonic() - begin)
        if run.returncode:
            # On a busy machine its time may be over: what it says is judged.
            time.sleep(0.2)
            if odd.process.poll() is not None:
                break
            problem += f"{' '.join(words)}: {said(run)}"
    return problem, took


def late(out, took):
    """What is late by more than the command in whose midst it has ended; or, where
    the kernel keeps how much is left and not when it ends, by more than all."""
    bad = ""
    for line in out.splitlines():
        found = re.match("(.*): late ([0-9.]+) s", line)
        may = sum(took) if found and found[1] == "select" else max(took)
        if not found or float(found[2]) > SINGLE_S + 0.8 + may:
            bad += f"{line}, commands took at most {may:.2f} s\n"
    return bad


def single():
    """Processes of one thread, which is borrowed by every command."""
    shutil.copy(COUNTER, AGAIN)
    all_of = [Odd("single", i, SINGLE_S)
              for i in range(len(EXACT) + len(ANEW))]
    time.sleep(1)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(all_commands, all_of))
    report("single threads: all commands", "".join(problem for problem, _ in
                                                   results))
    bad = ""
    for i, (odd, (_, took)) in enumerate(zip(all_of, results)):
        out = undisturbed(odd.process.communicate(timeout=PATIENCE)[0])
        if ": late " not in out:
            bad += out
        elif i < len(EXACT):
            bad += late(out, took)
    report("... and no call fails or ends late", bad)


compile_all()
compile_one("odd", "odd.c", "-rdynamic", "-pthread")
compile_one("plug.so", "odd.c", "-fPIC", "-shared", "-DPLUG")
if len(sys.argv) > 1:
    for topic in sys.argv[1:]:
        globals()[topic]()
    end()
attached("within vfork() for a while", "vfork", 400)
refused("within vfork() for long", (5,), r"is in vfork\(\)", "vfork", 9000)
refused("without a main thread", (5,), "goes on without its main thread",
        "leader")
refused("without free descriptors", (1,), "Too many open files|descriptor",
        "descriptors")
refused("without a process to spare", (0, 1), "no thread could be made|on",
        "processes")
attached("many threads with small stacks come and go", "churn", rounds=3)
attached("signals are blocked without the C library", "bare", rounds=3)
attached("who wakes blocks all signals and makes threads", "wakes", rounds=30)
fifo()
futex()
execs()
traced()
changed_root()
plug()
ways()
single()
end()
