# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Processes that attack the command of whoever looks at them (hostile.c).

Owns: that root's command ends in bounded time and memory, writes and calls
nothing that is not proved to be ours, opens nothing but regular files, and that
nothing of a process reaches a terminal as a command to it, or JSON as structure.
"""
import concurrent.futures
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from common import (BUILD, COUNTER, HERE, OUT, PATIENCE, ROOT, compile_all, compile_one,
                    end, kprobes, read, report, said)

ROOTED = os.geteuid() == 0
NOBODY = (["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
          if ROOTED else [])
HOSTILE = os.path.join(OUT, "hostile")
WHERE = tempfile.mkdtemp()
# It poses as the library: the same name and the symbol.
LIBRARY = os.path.join(WHERE, "libkprobes.so")


class Hostile:
    """As nobody, when that is possible."""

    def __init__(self, *words, before=()):
        self.process = subprocess.Popen(
            [*before, *NOBODY, HOSTILE, *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd="/")
        self.first = self.process.stdout.readline()
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.communicate()


def command(*words, seconds=PATIENCE, **options):
    """The run, and what is wrong: it did not end, or was killed."""
    try:
        run = kprobes(*words, timeout=seconds, **options)
    except subprocess.TimeoutExpired:
        return None, f"it did not end in {seconds} s"
    if run.returncode < 0 or run.returncode > 5:
        return run, f"it crashed: {said(run)[:1000]}"
    if "\033" in run.stdout + run.stderr or "\a" in run.stdout + run.stderr:
        return run, f"an escape sequence: {said(run)!r:.1000}"
    return run, ""


# ---- the endpoint -------------------------------------------------------------------


def endpoint(kind):
    """Each in bounded time; list of all asks the same."""
    with Hostile("endpoint", kind, LIBRARY) as hostile:
        run, problem = command("list", "-p", hostile.pid)
        report(f"endpoint {kind}: list ends, harmless", problem)
        # Its words come only through the library; tests/fuzz has them all.
        if run and not run.returncode and kind == "escapes":
            report("escapes: are shown as what they are",
                   "" if r"\x1b]0;OWNED\x07" in run.stdout and
                   r"\xc2\x9b[31m\xff" in run.stdout and
                   r"\x1b]52" in run.stderr else said(run))
        if run and kind == "error":
            report("error: is one line", "" if run.stderr.count("\n") == 1
                   else said(run))
        if kind == "silent":
            return
        run, problem = command("list", "-p", hostile.pid, "--json")
        if run and not problem:
            try:
                for target in json.loads(run.stdout):
                    for probe in target["probes"]:
                        if "pwn" in probe or "p" in probe:
                            problem = "a field of its own"
            except ValueError as err:
                problem = f"{err}: {run.stdout!r:.500}"
        report(f"endpoint {kind}: JSON is ours", problem)


def flood():
    """The command's memory stays bounded; so does what it prints."""
    with Hostile("endpoint", "flood", LIBRARY) as hostile:
        run, problem = command("list", "-p", hostile.pid,
                               program=["prlimit", "--data=400000000", "--",
                                        os.path.join(BUILD, "kprobes")])
        if run and not run.returncode:
            problem = problem or said(run)[:300]
        report("flood: ends at some size", problem)
    with Hostile("endpoint", "said", LIBRARY) as hostile:
        run, problem = command("enabled", "-p", hostile.pid)
        if run and len(run.stderr) > 2000000:
            problem = f"{len(run.stderr)} bytes were printed"
        report("flood: of what is said little is shown", problem)


def many():
    """Together they cost list not much more than one."""
    hostile = [Hostile("endpoint", kind, LIBRARY)
               for kind in ("drip", *("silent",) * 8)]
    begin = time.monotonic()
    _, problem = command("list", seconds=120)
    took = time.monotonic() - begin
    # 8 s for those that wait for 2 s, then 0.2 s each; on a busy machine more.
    report("those that never end, together: list ends", problem or
           (took > 60 and f"{took:.0f} s"))
    for one in hostile:
        one.__exit__()


def service():
    """Another's service gets no message in root's name."""
    path = os.path.join(WHERE, "service")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    os.chmod(path, 0o777)
    listener.listen()
    with Hostile("service", path, LIBRARY) as hostile:
        peer = listener.accept()[0]
        peer.settimeout(0.5)
        run, problem = command("list", "-p", hostile.pid)
        try:
            problem = problem or f"it was sent {peer.recv(100)}"
        except TimeoutError:
            pass
        if run and not run.returncode:
            problem = problem or said(run)
        report("a socket of another's service is not used", problem)


# ---- what is written and called ------------------------------------------------------


def memfd(kind):
    """The library goes into an empty memory file, or nowhere."""
    secret = os.path.join(WHERE, f"secret-{kind}")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("root's")
    os.chmod(secret, 0o600)
    hidden = os.path.join(WHERE, "hidden")
    with Hostile("memfd", kind, secret) as hostile:
        run, problem = command("load", COUNTER, "symbol=poll", "-p",
                               hostile.pid, env={
            **os.environ, "KPROBES_LIBRARY": f"{hidden}/libkprobes.so"})
        if read(secret) != "root's":
            problem = "the file was overwritten"
        good = kind == "good"
        if run and (run.returncode == 0) != good:
            problem = problem or said(run)
        if run and not good and kind != "closed" and \
                "not the memory file" not in run.stderr:
            problem = problem or said(run)
        report(f"memfd {kind}: {'is' if good else 'is not'} written", problem)


def surface(kind):
    """Nothing is called that only says that it is the library."""
    marker = os.path.join(WHERE, f"called-{kind}")
    for words in (("load", COUNTER), ("list",), ("unload", "-a")):
        with Hostile("surface", kind, LIBRARY, marker) as hostile:
            run, problem = command(*words, "-p", hostile.pid)
            alive = hostile.process.poll() is None
            if run and run.returncode == 0:
                problem = problem or said(run)
            if os.path.exists(marker) or not alive:
                problem = f"it was called, status {hostile.process.poll()}"
        report(f"surface {kind}: {words[0]} calls nothing", problem)


def arena(kind):
    """What is at a mailbox's place is the program's."""
    with Hostile("arena", kind) as hostile:
        runs = [command(*words, "-p", hostile.pid) for words in (
            ("list",), ("load", COUNTER, "symbol=poll"), ("unload", "-a"),
            ("list",))]
        problem = "".join(problem for _, problem in runs)
        attached = runs[1][0] and runs[1][0].returncode == 0
        if attached == (kind == "all"):
            problem = problem or said(runs[1][0])
        hostile.process.communicate(b"x", timeout=PATIENCE)
        if hostile.process.returncode:
            problem = f"its memory has changed: {hostile.process.returncode}"
    report(f"arena {kind}: stays as it was", problem)


# ---- files ------------------------------------------------------------------------------


def mounted(kind, make):
    """Over the file that it has mapped lies something else."""
    path = os.path.join(WHERE, f"mapped-{kind}.so")
    over = os.path.join(WHERE, f"over-{kind}")
    shutil.copy(COUNTER, path)
    make(over)
    with Hostile("file", path) as hostile:
        mount = subprocess.run(["nsenter", "-t", str(hostile.pid), "-m",
                                "mount", "--bind", over, path], check=False,
                               stderr=subprocess.PIPE, text=True)
        if mount.returncode:
            report(f"file {kind}: is mounted there", mount.stderr)
            return
        for words in (("funcs", "counter*"), ("dis", "main")):
            _, problem = command(*words, "-p", hostile.pid)
            report(f"file {kind}: {words[0]} ends", problem)


def files():
    unshare = ["unshare", "-m", "--propagation", "private"]
    if not ROOTED or subprocess.run([*unshare, "true"],
                                    check=False).returncode:
        print("skip hostile: files in a namespace: not permitted", flush=True)
        return
    global NOBODY
    NOBODY, before = unshare + NOBODY, NOBODY
    mounted("fifo", os.mkfifo)
    mounted("device", lambda over: os.mknod(over, 0o20666, os.makedev(1, 5)))
    mounted("other", lambda over: shutil.copy("/bin/true", over))
    NOBODY = before


def deleted():
    path = os.path.join(WHERE, "deleted.so")
    shutil.copy(COUNTER, path)
    with Hostile("file", path) as hostile:
        os.unlink(path)
        run, problem = command("funcs", "counter:*", "-p", hostile.pid)
        report("file deleted: ends", problem)
        run, problem = command("funcs", "main", "-p", hostile.pid)
        if run and (run.returncode or "main" not in run.stdout):
            problem = problem or said(run)
        report("file deleted: the others are read", problem)


def names():
    with Hostile("name", "\033]0;PWN\a") as hostile:
        run, problem = command("list", "-p", hostile.pid)
        if run and r"(\x1b]0;PWN\x07)" not in run.stderr:
            problem = problem or said(run)
        report("a name is shown as what it is", problem)


def fake_library():
    with open(LIBRARY + ".c", "w", encoding="utf-8") as source:
        source.write("#include <fcntl.h>\n#include <unistd.h>\n"
                     "char kp_attach[256] __attribute__((aligned(64))) = "
                     "{ 1 };\nvoid kp_called(void *m)\n{ _exit(9); }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", LIBRARY,
                    LIBRARY + ".c"], check=True)
    os.mkdir(os.path.join(WHERE, "hidden"), 0o700)
    shutil.copy(os.path.join(BUILD, "libkprobes.so"),
                os.path.join(WHERE, "hidden"))


def main():
    compile_all()
    compile_one("hostile", "hostile.c", f"-I{ROOT}/host/linux-user", "-ldl",
                "-Wno-stringop-overflow")
    os.chmod(WHERE, 0o755)
    fake_library()
    jobs = [(many,)]
    jobs += [(endpoint, kind) for kind in (
        "silent", "escapes", "json", "error", "number", "nothing")]
    jobs += [(memfd, kind) for kind in (
        "good", "path", "read", "tmpfs", "disk", "pipe", "null", "closed",
        "unsealable", "sealed", "filled")]
    jobs += [(surface, kind) for kind in ("none", "memory", "own", "served")]
    jobs += [(arena, kind) for kind in (
        "large", "small", "exact", "marked", "split", "hidden", "all")]
    jobs += [(deleted,), (names,), (service,), (flood,)]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(*job) for job in jobs]:
            done.result()
    files()
    shutil.rmtree(WHERE)
    end()


main()
