# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests on processes share.

Owns: victims (victim.c) and what is compared before and after; the kprobes
command and how its outcome is reported: one "ok" or "not ok" line a test.
"""
import hashlib
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.path.abspath(os.environ.get("B", os.path.join(ROOT, "build")))
KPROBES = os.path.join(BUILD, "kprobes")
TOPIC = os.path.splitext(os.path.basename(sys.argv[0]))[0]
OUT = os.path.join(BUILD, "tests", "cli")
COUNTER = os.path.join(OUT, "counter.so")
PATIENCE = 120  # seconds that what must come may take, on a machine with much to do
failed = False


def report(words, problem=None):
    """problem: None or empty: ok."""
    global failed
    print(("not ok" if problem else "ok") + f" {TOPIC}: {words}")
    if problem:
        failed = True
        for line in str(problem).splitlines()[:20]:
            print("# " + line)
    sys.stdout.flush()


def end():
    sys.exit(1 if failed else 0)


def compile_one(output, source, *flags):
    """Unless it is newer than what it is made of."""
    output = os.path.join(OUT, output)
    source = os.path.join(HERE, source)
    made_of = (source, os.path.join(BUILD, "libkprobes.so"))
    if (os.path.exists(output) and
            os.stat(output).st_mtime > max(os.stat(file).st_mtime
                                           for file in made_of)):
        return
    # Another topic may make it at the same time.
    new = f"{output}.{os.getpid()}"
    subprocess.run(["gcc", "-O2", "-g", "-Wall", "-std=gnu11",
                    f"-I{ROOT}/host/linux-user", f"-I{ROOT}/host/linux-user/x86", source,
                    "-o", new, *flags], check=True)
    os.rename(new, output)


def compile_all():
    os.makedirs(OUT, exist_ok=True)
    compile_one("victim", "victim.c", "-fPIE", "-pie", "-rdynamic", "-pthread")
    compile_one("victim-fixed", "victim.c", "-fno-pie", "-no-pie", "-rdynamic",
                "-pthread")
    compile_one("victim-static", "victim.c", "-static", "-pthread",
                "-Wl,--no-warnings")
    compile_one("counter.so", "counter.c", "-fPIC", "-shared",
                f"-I{ROOT}/include", f"-I{ROOT}/host/linux-user/include",
                f"-I{ROOT}/arch/x86/include", f"-L{BUILD}", "-lkprobes")


def kprobes(*words, **options):
    """The finished command: returncode, stdout, stderr."""
    options.setdefault("timeout", PATIENCE)
    options.setdefault("errors", "replace")
    program = options.pop("program", [KPROBES])
    return subprocess.run([*program, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)


def soon(holds):
    """Wait until it holds; False: it does not."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def stop(pid):
    """It is stopped on return."""
    os.kill(pid, signal.SIGSTOP)
    assert soon(lambda: re.search(r"State:\s+T", read(f"/proc/{pid}/status")))


def said(run):
    return f"status {run.returncode}: {run.stdout}{run.stderr}"


def expect(name, status, *words, says=None, command=kprobes):
    """The command ends with status and says something that matches."""
    run = command(*words)
    problem = None
    if run.returncode != status:
        problem = f"not status {status}; {said(run)}"
    elif says and not re.search(says, run.stdout + run.stderr):
        problem = f"does not say {says}; {said(run)}"
    report(name, problem)
    return run


class Program:
    """That is gone when its block is left; process: what Popen made."""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Victim(Program):
    def __init__(self, *kinds, program="victim", before=(), child=False):
        self.process = subprocess.Popen(
            [*before, os.path.join(OUT, program), *kinds],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.process.stdout.readline()
        self.heard = b""  # what it said while it was told something
        self.pid = self.process.pid
        if child:
            self.pid = int(read(f"/proc/{self.pid}/task/{self.pid}/children"))
        time.sleep(0.1)

    def tell(self, byte):
        """It has done so on return."""
        self.process.stdin.write(byte)
        self.process.stdin.flush()
        while (line := self.process.stdout.readline()) not in (b"done\n", b""):
            self.heard += line

    def finish(self):
        """None when it was never disturbed, or what it says."""
        if "alone" in self.process.args:
            alive = self.process.poll() is None
            self.process.kill()
            self.process.wait()
            return None if alive else f"status {self.process.returncode}"
        try:
            out = (self.heard + self.process.communicate(timeout=PATIENCE)[0]).decode()
        except subprocess.TimeoutExpired:
            self.process.kill()
            out = (self.heard + self.process.communicate()[0]).decode() + "did not end"
        if self.process.returncode == 0 and "fine" in out:
            return None
        out = re.sub(r"(?m)^counter: .*\n", "", out)
        return f"status {self.process.returncode}: {out[:1500]}"


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def text_of(pid):
    """A digest of all executable memory that belongs to files but ours."""
    digest = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for line in read(f"/proc/{pid}/maps").splitlines():
            field = line.split(None, 5)
            if ("x" not in field[1] or len(field) < 6 or
                    "kprobes" in field[5] or field[5].startswith("[")):
                continue
            start, end = (int(x, 16) for x in field[0].split("-"))
            mem.seek(start)
            sha = hashlib.sha256()
            while start < end:
                part = mem.read(min(end - start, 1 << 20))
                sha.update(part)
                start += len(part)
            digest[field[0]] = sha.hexdigest()
    return digest


# The C library's own, from its first thread on.
SIGSETXID = 1 << 32


def signals_of(pid):
    """Dispositions of the process; masks of its threads, by name."""
    status = read(f"/proc/{pid}/status")
    found = {}
    for field in ("SigCgt", "SigIgn"):
        value = int(re.search(field + r":\s*(\w+)", status)[1], 16)
        found[field] = value & ~SIGSETXID
    return found


def threads_of(pid):
    return sorted(int(tid) for tid in os.listdir(f"/proc/{pid}/task"))


def names_of(pid):
    names = set()
    for tid in threads_of(pid):
        try:
            names.add(read(f"/proc/{pid}/task/{tid}/comm").strip())
        except OSError:  # it has ended
            pass
    return sorted(names)


def masks_of(pid):
    masks = {}
    for tid in threads_of(pid):
        try:
            status = read(f"/proc/{pid}/task/{tid}/status")
        except OSError:
            continue
        # sigtimedwait opens what it waits for.
        masks[tid] = (int(re.search(r"SigBlk:\s*(\w+)", status)[1], 16) &
                      ~(1 << signal.SIGUSR2 - 1))
    return masks


def descriptors_of(pid):
    found = []
    for fd in sorted(os.listdir(f"/proc/{pid}/fd"), key=int):
        try:
            found.append((fd, os.readlink(f"/proc/{pid}/fd/{fd}")))
        except OSError:
            pass
    return found


def state_of(pid, masks=False):
    state = {"text": text_of(pid), "signals": signals_of(pid),
             "descriptors": descriptors_of(pid),
             "mailbox": re.findall(r"^4b50.*$", read(f"/proc/{pid}/maps"),
                                   re.M),
             "names": names_of(pid)}
    if masks:
        state["masks"] = masks_of(pid)
    return state


def difference(before, after):
    return "\n".join(f"{key}: before {before[key]}, after {after[key]}"
                     for key in before if before[key] != after[key])
