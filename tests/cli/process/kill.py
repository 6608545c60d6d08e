# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes is killed at random moments, and with SIGKILL at each of its steps.

Owns: that the process it was working on does not notice, that the next command
cleans up, and that each command takes over what any other has left.  By SIGTERM it does not notice either if it blocks SIGTRAP and
looks; by SIGKILL it may find it open (docs/attaching.md).  kill.py COUNT; KPROBES_SEED repeats a run.
"""
import ctypes
import fcntl
import os
import random
import signal
import subprocess
import sys
import termios
import time

from common import (COUNTER, KPROBES, Victim, compile_all, compile_one, difference, end,
                    kprobes, read, report, said, soon, state_of)

COUNT = int(sys.argv[1])
SEED = int(os.environ.get("KPROBES_SEED", time.time_ns() % 1000000))
PAUSE_S = 6  # longer than an endpoint waits for a request
EACH = 4  # kills before somebody cleans up
MIX = ("symbol=victim_mix", "every=1")


def commands(pid):
    return (("load", COUNTER, "-p", pid), ("load", COUNTER, *MIX, "-p", pid),
            ("unload", "-a", "-p", pid), ("unload", "counter.so", "-p", pid),
            ("list", "-p", pid), ("enabled", "0", "-p", pid),
            ("enabled", "1", "-p", pid), ("disable", "victim_target", "-p",
                                          pid))


def duration(command, rounds=3):
    total = 0
    for _ in range(rounds):
        begin = time.monotonic()
        kprobes(*command)
        total += time.monotonic() - begin
    return total / rounds


def kill_one(command, after, by):
    """Was it killed, or over before?"""
    process = subprocess.Popen([KPROBES, *map(str, command)],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(by)
    return process.wait() < 0


def tracers(pid):
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            status = read(f"/proc/{pid}/task/{tid}/status")
        except OSError:
            continue
        tracer = status.split("TracerPid:")[1].split()[0]
        if tracer != "0":
            found.append(f"{tid} by {tracer}")
    return found


def clean_up(victim):
    """What is not as it should be after the next command."""
    run = kprobes("unload", "-a", "-p", victim.pid)
    # 3: it was not probed, or is not any more.
    if run.returncode not in (0, 3):
        return f"unload: {said(run)}"
    return ""


def rounds(victim, before, rng, by, count):
    killed = 0
    each = commands(victim.pid)
    kprobes(*each[0])
    times = [duration(each[i]) for i in range(len(each))]
    kprobes("unload", "-a", "-p", victim.pid)
    # Attaching and detaching take longest: measured together.
    begin = time.monotonic()
    kprobes(*each[0])
    times[0] = times[1] = time.monotonic() - begin
    begin = time.monotonic()
    kprobes("unload", "-a", "-p", victim.pid)
    times[2] = times[3] = time.monotonic() - begin
    while killed < count:
        done = []
        for _ in range(EACH):
            i = rng.choice((0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7))
            after = rng.uniform(0, 1.1 * times[i])
            if kill_one(each[i], after, by):
                killed += 1
                done.append(f"{each[i][0]} after {after * 1000:.1f} ms")
        problem = clean_up(victim)
        if not problem:
            problem = difference(before, state_of(victim.pid))
        if victim.process.poll() is not None:
            problem += f" it has ended: {victim.process.returncode}"
        if problem:
            return killed, f"seed {SEED}; killed: {', '.join(done)}\n{problem}"
    return killed, "\n".join(tracers(victim.pid))


# ---- at each step -------------------------------------------------------------

PTRACE_TRACEME, PTRACE_CONT, PTRACE_GETREGS, PTRACE_SETREGS = 0, 7, 12, 13
PTRACE_POKETEXT = 4
PTRACE_DETACH, PTRACE_SYSCALL, PTRACE_SETOPTIONS = 17, 24, 0x4200
PTRACE_SETREGSET, PTRACE_SETSIGMASK, TRACESYSGOOD = 0x4205, 0x420b, 1
PTRACE_SETFPREGS = 15
SYS_PWRITE64, SYS_SENDMSG, SYS_PTRACE = 18, 46, 101
TRACECLONE, EVENT_CLONE, PTRACE_GETEVENTMSG, WALL = 8, 3, 0x4201, 0x40000000
CALL_STOP = 5 | 0x80
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4


def changes_victim(regs):
    """Is this system call one by which the command changes the process?"""
    if regs[15] != SYS_PTRACE:
        return regs[15] == SYS_PWRITE64
    # The fourth argument: a breakpoint was met, and its signal is passed on.
    return (regs[14] == PTRACE_SYSCALL and regs[7] == signal.SIGTRAP or
            regs[14] in (PTRACE_SETREGS, PTRACE_SETFPREGS, PTRACE_SETREGSET,
                         PTRACE_SETSIGMASK, PTRACE_CONT, PTRACE_DETACH, PTRACE_POKETEXT))


def next_stop(tids):
    """Of one of the command's threads: its number, and how it stopped; or 0 after a while."""
    for _ in range(2000):
        for tid in list(tids):
            try:
                got, status = os.waitpid(tid, os.WNOHANG | WALL)
            except ChildProcessError:
                del tids[tid]
                continue
            if got:
                return tid, status
        time.sleep(0.00005)
    return 0, 0


def led(command, counts, number, reach, lasts=1e9):
    """
    Its status, when reach(pid) was called before its call of that number that counts.
    lasts: after so many seconds it is told to end.
    """
    process = subprocess.Popen(
        [KPROBES, *map(str, command)], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: libc.ptrace(PTRACE_TRACEME, 0, 0, 0))
    pid, seen, tids = process.pid, 0, {process.pid: False}
    regs = (ctypes.c_ulong * 27)()
    made = ctypes.c_ulong()
    until = time.monotonic() + lasts
    os.waitpid(pid, 0)
    libc.ptrace(PTRACE_SETOPTIONS, pid, 0, TRACESYSGOOD | TRACECLONE)
    libc.ptrace(PTRACE_SYSCALL, pid, 0, 0)
    while True:
        tid, status = next_stop(tids)
        if time.monotonic() > until:
            os.kill(pid, signal.SIGINT)
            until = time.monotonic() + 1
        if not tid:
            continue
        passed_on = 0
        if not os.WIFSTOPPED(status):
            if tid == pid:
                break
            del tids[tid]
            continue
        if os.WSTOPSIG(status) == CALL_STOP:
            tids[tid] = not tids[tid]
            libc.ptrace(PTRACE_GETREGS, tid, 0, ctypes.addressof(regs))
            seen += tids[tid] and counts(regs)
        elif status >> 16 == EVENT_CLONE:
            libc.ptrace(PTRACE_GETEVENTMSG, tid, 0, ctypes.addressof(made))
            tids[made.value] = False
        elif os.WSTOPSIG(status) in (signal.SIGINT, signal.SIGCHLD):
            passed_on = os.WSTOPSIG(status)
        if seen > number:
            reach(pid)
            number = sys.maxsize
        libc.ptrace(PTRACE_SYSCALL, tid, 0, passed_on)
    process.returncode = status
    return status


def killed_before(command, number, lasts=1e9):
    """Killed before its change of that number; False: it ended before."""
    # Not process.kill(): it may take a stop for the process's end.
    return os.WIFSIGNALED(led(command, changes_victim, number,
                              lambda pid: os.kill(pid, signal.SIGKILL), lasts))


def late():
    """The endpoint does not wait for a command that gets no time."""
    with Victim("busy", "mixes") as victim:
        before = state_of(victim.pid)
        problem = ""
        # Of its requests: within what holds all threads, and the last one.
        for request in (3, 5):
            kprobes("load", COUNTER, "-p", victim.pid)
            paused = []
            status = led(("unload", "-a", "-p", victim.pid),
                         lambda regs: regs[15] == SYS_SENDMSG, request,
                         lambda pid: paused.append(time.sleep(PAUSE_S)))
            problem = problem or status and f"request {request}: status {status}" or \
                not paused and f"only {request} requests" or \
                difference(before, state_of(victim.pid))
        report("an unload that pauses: all is gone at its end", problem)
        report("... undisturbed", victim.finish())


def call_hooked(victim):
    """By its main thread, which blocks SIGTRAP: system calls that are watched."""
    victim.process.stdin.write(b"mm")
    victim.process.stdin.flush()
    unread = b"\1"
    while any(unread) and victim.process.poll() is None:
        time.sleep(0.001)
        unread = fcntl.ioctl(victim.process.stdin, termios.FIONREAD, bytes(4))


def each_step(name, command, least, begin=None, before=(), kind="busy",
              stride=1):
    """begin() leaves it with SIGTRAP blocked."""
    with Victim(kind, before=before) as victim:
        if begin:
            victim.tell(b"b")
        wanted = state_of(victim.pid, masks=True)
        number, problem, killed = 0, "", True
        while killed and not problem:
            if begin:
                begin(victim)
            killed = killed_before((*command, "-p", victim.pid), number)
            call_hooked(victim)
            if victim.process.poll() is None:
                problem = clean_up(victim) or difference(
                    wanted, state_of(victim.pid, masks=True))
            else:
                problem = f"it has ended: {victim.process.returncode}"
            number += stride
        report(f"{name} at each of its steps: undisturbed",
               problem and f"before change {number - stride}: {problem}")
        report("... to the end", number < least and f"only {number} steps" or
               victim.finish())


def mailboxes(pid):
    return sum(line.startswith("4b5") for line in read(f"/proc/{pid}/maps").splitlines())


def no_place_left(often):
    """Each of many commands is killed just when its memory is there, and none cleans up."""
    with Victim("busy") as victim:
        before, number = state_of(victim.pid), 0
        load = ("load", COUNTER, "-p", victim.pid)
        while killed_before(load, number) and not mailboxes(victim.pid):
            number += 1
        for _ in range(often):
            killed_before(load, number)
        run = kprobes(*load)
        report(f"{often + 1} loads are killed with their memory mapped: the next one finds room",
               run.returncode and said(run))
        report("... and leaves nothing",
               clean_up(victim) or difference(before, state_of(victim.pid)))
        report("... undisturbed", victim.finish())


def blocks_when_probed(victim):
    victim.tell(b"o")
    kprobes("load", COUNTER, "-p", victim.pid)
    victim.tell(b"b")


def kill_at_random(by, count, *kinds):
    with Victim("busy", *kinds) as victim:
        before = state_of(victim.pid)
        killed, problem = rounds(victim, before, random.Random(SEED), by, count)
        report(f"{by.name} {killed} times: the next command cleans up", problem)
        run = kprobes("load", COUNTER, "-p", victim.pid)
        report("... and can attach", run.returncode and said(run))
        report("... and detach", clean_up(victim) or
               difference(before, state_of(victim.pid)))
        report("undisturbed", victim.finish())


# ---- each by each ----------------------------------------------------------------

ON_STORES = {
    "load": ("load", COUNTER, "symbol=stores_put"),
    "trace": ("trace", "uprobe:stores_put { @ = count(); } interval:ms:20 { exit(); }"),
    "unload": ("unload", "-a"),
    "watch": ("watch", "stores_in:64:w"),
    "list": ("list",),
    "enabled": ("enabled", "0"),
    "disable": ("disable", "stores_put"),
}
LASTS_S = 0.3  # watch, which ends by ^C


def follow_on(command):
    """The command, to its end."""
    with subprocess.Popen([KPROBES, *map(str, command)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        if command[0] == "watch":
            time.sleep(LASTS_S / 2)
            process.send_signal(signal.SIGINT)


def steps_of(command):
    """How many changes it makes."""
    seen = []
    led(command, lambda regs: changes_victim(regs) and not seen.append(1), sys.maxsize,
        None, LASTS_S)
    return len(seen)


def begin(victim, first):
    """What the command is about to work on."""
    if first in ("unload", "enabled", "disable", "list"):
        kprobes(*ON_STORES["load"], "-p", victim.pid)
    elif first == "load":
        kprobes(*ON_STORES["unload"], "-p", victim.pid)


def take_over_at(victim, first, number, second):
    """A problem, or nothing.  number: of the step before which it is killed."""
    pid = ("-p", victim.pid)
    begin(victim, first)
    killed_before((*ON_STORES[first], *pid), number, LASTS_S)
    time.sleep(0.003)
    if victim.process.poll() is None:
        follow_on((*ON_STORES[second], *pid))
    if victim.process.poll() is not None:
        return f"it has ended: {victim.process.returncode}"
    return ""


def take_overs(rounds):
    """
    Each command, killed at steps all over it, and each as the next.  The program blocks no
    signal: nothing excuses its death.
    """
    compile_one("stores", "stores.c", "-pthread")
    names = list(ON_STORES)
    for first in names:
        problem, step = "", 0
        with Victim(program="stores") as victim:
            before = state_of(victim.pid)
            begin(victim, first)
            steps = steps_of((*ON_STORES[first], "-p", victim.pid))
            for i in range(rounds):
                # The last steps are those of leaving.
                step = int(steps * (1 - ((i + 0.5) / rounds) ** 2))
                second = names[(i + names.index(first)) % len(names)]
                problem = take_over_at(victim, first, step, second)
                if problem:
                    problem = f"step {step} of {steps}, then {second}: {problem}"
                    break
            if not problem:
                problem = clean_up(victim)
                soon(lambda: not difference(before, state_of(victim.pid)))
                problem = problem or difference(before, state_of(victim.pid))
            report(f"{first} is killed at {rounds} of its steps, others take over",
                   problem or victim.finish())


def main():
    compile_all()
    take_overs(COUNT // 3)
    each_step("a load is killed, SIGTRAP is blocked,", ("load", COUNTER), 30,
              before=("env", "--block-signal"))
    each_step("an unload is killed, SIGTRAP is blocked by then,",
              ("unload", "-a"), 3, begin=blocks_when_probed)
    each_step("a load is killed, all registers are in use,", ("load", COUNTER),
              30, kind="units", stride=3)
    late()
    no_place_left(6)
    kill_at_random(signal.SIGKILL, COUNT, "mixes", "naps", "handler")
    kill_at_random(signal.SIGTERM, COUNT // 2, "masks", "mixes", "naps")


main()
end()
