# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes load on processes that cannot be probed, or are confined.

Owns: the refusals, which leave the process as it is and say what to do; and
namespaces, seccomp filters and other users, which are no obstacle where the
kernel allows it.
"""
import ctypes
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

from common import (BUILD, COUNTER, KPROBES, OUT, PATIENCE, ROOT, Victim, compile_all,
                    difference, end, expect, kprobes, read, report, said,
                    state_of, stop)

NOBODY = 65534
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             "--")
PTRACE_SEIZE, PTRACE_DETACH, PTRACE_INTERRUPT = 0x4206, 17, 0x4207
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4


def refused(name, victim, status, says, command=kprobes):
    """The load ends so, and nothing has changed."""
    before = state_of(victim.pid)
    expect(f"{name} is refused", status, "load", COUNTER, "-p", victim.pid,
           says=says, command=command)
    report(f"{name}: as before", difference(before, state_of(victim.pid)))


def attached(name, victim, command=kprobes, module=COUNTER):
    before = state_of(victim.pid)
    expect(f"{name}: load", 0, "load", module, "-p", victim.pid,
           command=command)
    expect(f"{name}: list", 0, "list", "-p", victim.pid, command=command,
           says=r"k  victim_target\+0x0  ")
    expect(f"{name}: unload", 0, "unload", "-a", "-p", victim.pid,
           command=command)
    report(f"{name}: as before", difference(before, state_of(victim.pid)))
    report(f"{name}: undisturbed", victim.finish())


# ---- refusals -----------------------------------------------------------------


def other_programs():
    with Victim("busy", program="victim-static") as victim:
        attached("a static program", victim)
    code = os.path.join(OUT, "small32")
    subprocess.run(["as", "--32", "-o", code + ".o"], check=True, text=True,
                   input=".globl _start\n_start: mov $29, %eax\n"
                   "int $0x80\njmp _start\n")
    subprocess.run(["ld", "-m", "elf_i386", code + ".o", "-o", code],
                   check=True)
    # Where the command for these is not beside it.
    alone = os.path.join(OUT, "alone")
    os.makedirs(alone, exist_ok=True)
    shutil.copy(KPROBES, alone)
    with subprocess.Popen([code]) as process:
        expect("a 32-bit program is refused", 5, "load", COUNTER, "-p", process.pid,
               says="have kprobes-i386 beside this one", command=lambda *words: subprocess.run(
                   [os.path.join(alone, "kprobes"), *map(str, words)], stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, check=False))
        process.kill()


def kernel_threads():
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and not os.path.lexists(f"/proc/{name}/exe"):
                continue
            os.readlink(f"/proc/{name}/exe")
        except FileNotFoundError:
            if name.isdigit() and not read(f"/proc/{name}/maps"):
                expect("a kernel thread is refused", 5, "load", COUNTER, "-p",
                       name, says="thread of the kernel")
                return
        except OSError:
            pass


def states():
    with Victim("busy") as victim:
        pid = victim.pid
        libc.ptrace(PTRACE_SEIZE, pid, 0, 0)
        refused("a traced process", victim, 5,
                f"being traced by process {os.getpid()} ")
        libc.ptrace(PTRACE_INTERRUPT, pid, 0, 0)
        os.waitpid(pid, 0x40000000)
        libc.ptrace(PTRACE_DETACH, pid, 0, 0)
        stop(pid)
        refused("a stopped process", victim, 5, f"kill -CONT {pid}")
        os.kill(pid, signal.SIGCONT)
        report("... undisturbed", victim.finish())
    with Victim("busy") as victim:
        pid = victim.pid
        kprobes("load", COUNTER, "-p", pid)
        stop(pid)
        for words in (("list",), ("enabled", 0), ("unload", "-a")):
            expect(f"a stopped process that is probed: {words[0]} is refused",
                   5, *words, "-p", pid, says=f"kill -CONT {pid}")
        os.kill(pid, signal.SIGCONT)
        expect("... goes on: unload", 0, "unload", "-a", "-p", pid)
        report("... undisturbed", victim.finish())
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    expect("a zombie is refused", 3, "load", COUNTER, "-p", process.pid,
           says="has ended|no process")
    process.wait()
    expect("no such process", 3, "load", COUNTER, "-p", process.pid,
           says=f"there is no process {process.pid}")


def dying():
    """It is killed while it is attached to."""
    rng = random.Random(1)
    problem = ""
    for _ in range(12):
        with Victim("busy", "sleeps") as victim:
            process = subprocess.Popen(
                [KPROBES, "load", COUNTER, "-p", str(victim.pid)],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(rng.uniform(0, 0.08))
            victim.process.kill()
            try:
                words = process.communicate(timeout=PATIENCE)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                words = "it hangs"
            if process.returncode not in (0, 1, 3) or (
                    process.returncode and not words.startswith("kprobes: ")):
                problem += f"status {process.returncode}: {words}\n"
    report("a process that is killed meanwhile", problem)


# ---- confined ------------------------------------------------------------------


def calls_needed():
    """The numbers in the command's list, and those of the victim's own."""
    names = re.findall(r"^\t\{ (\w+),",
                       read(os.path.join(ROOT, "cli", "attach", "seccomp.c")), re.M)
    names += ["SYS_exit_group", "SYS_clock_nanosleep", "SYS_getppid",
              "SYS_poll"]
    numbers = subprocess.run(
        ["gcc", "-E", "-P", f"-I{ROOT}/cli/inspect", f"-I{ROOT}/cli", f"-I{ROOT}/cli/x86", "-"], check=True, text=True,
        capture_output=True, input="#include \"newer_calls.h\"\n" + "\n".join(names)).stdout
    # Some are sums.
    return sorted({sum(map(int, re.findall(r"\d+", x)))
                   for x in re.findall(r"^(?:\d+|\(\d+ \+ \d+\))$", numbers, re.M)})


def only_needed():
    """What a process is made to do is in the list that filters are asked for."""
    only = "only=" + ",".join(map(str, calls_needed()))
    with Victim(only, "busy", "mixes", "masks", "calls") as victim:
        before = state_of(victim.pid)
        problem = ""
        unload = ("unload", "counter.so")
        for words in (("load", COUNTER, "symbol=victim:victim_target"), unload,
                      ("load", COUNTER, "symbol=victim_mix", "every=1"),
                      ("list",), ("enabled", 0), ("enabled", 1),
                      ("optimization", 0), ("optimization", 1),
                      ("disable", "victim_mix"), ("blacklist",), unload,
                      ("load", COUNTER, "ret=1"), unload,
                      ("load", COUNTER, "symbol=victim_call", "linger=1"),
                      ("unload", "-a")):
            run = kprobes(*words, "-p", victim.pid)
            problem += said(run) if run.returncode else ""
        report("a filter that knows the calls in our list only: probed",
               problem or difference(before, state_of(victim.pid)))
        report("... and no other call was made", victim.finish())


def seccomp():
    with Victim("filter", "busy") as victim:
        attached("a seccomp filter that refuses", victim)
    with Victim("deadly", "busy") as victim:
        refused("a seccomp filter that kills", victim, 5,
                "filter would kill it for the system call socketpair")
        report("... undisturbed", victim.finish())
    # Of one thread, not the first, which hits probes, too.
    with Victim("sandboxed", "busy") as victim:
        refused("a seccomp filter of another thread that kills", victim, 5,
                "filter would kill it for the system call .* in its thread")
        report("... undisturbed", victim.finish())


def dispatch():
    """The kernel tells of it, or has not got it."""
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if tuple(map(int, release.groups())) < (6, 4):
        return
    with Victim("dispatches", "busy") as victim:
        refused("system calls that are dispatched", victim, 5,
                "thread .* dispatches its system calls itself")
        report("... undisturbed", victim.finish())


def cannot_unshare(command):
    """Why not, as in a chroot whose root is no mount point."""
    done = subprocess.run([*command, "true"], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if done.returncode else None


def namespaces():
    where = tempfile.mkdtemp()
    program = shutil.copy(os.path.join(OUT, "victim"), where)
    for name, *before in (
            ("a pid namespace", "unshare", "--kill-child", "-pf",
             "--mount-proc"),
            ("all namespaces", "unshare", "--kill-child", "-muinpfC",
             "--mount-proc"),
            ("a user namespace", "unshare", "--kill-child", "-Urf"),
            ("a mount namespace without our files", "unshare", "-mf",
             "--kill-child", "sh", "-c",
             f"mount -t tmpfs none '{BUILD}'; exec \"$@\"", "sh")):
        why = cannot_unshare(before)
        if why:
            print(f"skip refuse: {name}: {why}", flush=True)
            continue
        with Victim("busy", "sleeps", program=program, before=before,
                    child=True) as victim:
            attached(name, victim)
    shutil.rmtree(where)


def users():
    where = tempfile.mkdtemp()
    # Root's alone.
    private = tempfile.mkdtemp()
    os.chmod(where, 0o755)
    for path in (KPROBES, os.path.join(BUILD, "libkprobes.so"), COUNTER,
                 os.path.join(OUT, "victim")):
        shutil.copy(path, where)
        os.chmod(shutil.copy(path, private), 0o700)

    def as_nobody(*words, **options):
        return kprobes(*words, program=[
            *AS_NOBODY, os.path.join(where, "kprobes")], **options)

    def from_private(*words, **options):
        return kprobes(*words, program=[os.path.join(private, "kprobes")],
                       **options)

    with Victim("busy") as victim:
        expect("another user's process is refused", 4, "load",
               os.path.join(where, "counter.so"), "-p", victim.pid,
               command=as_nobody, says="belongs to user 0: not permitted")
        kprobes("load", COUNTER, "-p", victim.pid)
        expect("... when it is probed too", 4, "list", "-p", victim.pid,
               command=as_nobody, says="not permitted")
        run = as_nobody("list")
        report("... and list passes it over",
               f"process {victim.pid} " in run.stdout and said(run))
        kprobes("unload", "-a", "-p", victim.pid)
    program = os.path.join(where, "victim")
    with Victim("busy", "sleeps", program=program, before=AS_NOBODY) as victim:
        attached("one's own process", victim, command=as_nobody,
                 module=os.path.join(where, "counter.so"))
    with Victim("busy", "sleeps", program=program, before=AS_NOBODY) as victim:
        attached("root, another's process", victim)
    with Victim("busy", "sleeps", program=program, before=AS_NOBODY) as victim:
        attached("root, another's process, files of root's", victim,
                 command=from_private,
                 module=os.path.join(private, "counter.so"))
    with Victim("filter", "busy", program=program,
                before=(*AS_NOBODY[:-1], "--no-new-privs", "--")) as victim:
        expect("one's own process with a filter is refused", 4, "load",
               os.path.join(where, "counter.so"), "-p", victim.pid,
               command=as_nobody, says="only root can read")
        report("... undisturbed", victim.finish())
    shutil.rmtree(where)
    shutil.rmtree(private)


compile_all()
other_programs()
kernel_threads()
states()
dying()
seccomp()
dispatch()
only_needed()
namespaces()
users()
end()
