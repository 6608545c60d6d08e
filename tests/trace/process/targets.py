#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on several processes at once.

Owns: which processes are meant, what each of them adds to the answer, and what
becomes of the others when one ends, or cannot be had.
Prints one "ok" or "not ok" line a test.  Usage: targets.py BUILD
"""
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, children_of, report
from asking import BUILD, WORK, Trace, Work, maps, not_probed
from timeline import Timeline

# The tests' own (tools/vm); what a program prints of its surroundings shall name nothing of ours.
os.environ.pop("KPROBES_CACHE", None)


def numbers(works):
    return ",".join(str(work.pid) for work in works)


def armed(trace, works, probes=1):
    trace.wait_for("probe")
    for work in works:
        trace.probed(work, probes)


def tried(words, test):
    """A test that may end early: its problem, or none."""
    try:
        problem = test()
    except answers.Skipped as reason:
        print(f"skip trace: {words}: {reason}", flush=True)
        return
    except (AssertionError, KeyError, OSError, RuntimeError,
            subprocess.TimeoutExpired) as error:
        problem = f"{type(error).__name__}: {error}"
    report(words, problem)


def added_up():
    works = [Work() for _ in range(3)]
    trace = Trace("uprobe:plain { @n = count(); @pid[pid] = count(); @s = sum(arg0);"
                  " @h = hist(arg0); @stack[ustack] = count(); @m++; @p += 2; }",
                  pid=numbers(works))
    armed(trace, works)
    for nr, work in enumerate(works):
        work.do(f"plain {nr + 3} 2")
    works[1].do("deep 4")
    out, status = trace.end()
    found = maps(out)
    wanted = {"@n": "28", "@m": "28", "@p": "56", "@s": str(2 * (3 + 6 + 10) + 6)}
    wanted.update({f"@pid[{work.pid}]": str(2 * (nr + 3) + 4 * (nr == 1))
                   for nr, work in enumerate(works)})
    if status or any(found.get(k) != v for k, v in wanted.items()):
        return f"{wanted}: {out} {trace.err}"
    if len(re.findall(r"^ +deep\+\d+$", out, re.M)) != 21 or "@h" not in out:
        return out
    return None if all(not_probed(w.pid) and not w.end() for w in works) else \
        "they are not left as they were"


def listed():
    works = [Work(), Work()]
    trace = Trace(["trace", "-l", "uprobe:work:s*"], pid=numbers(works))
    out, status = trace.end(how=None)
    for work in works:
        work.end()
    return (status or out.count("uprobe:work:sized") != 1 or
            out.count("uprobe:work:slow") != 1) and out + trace.err


def in_order():
    works = [Work(), Work()]
    trace = Trace('uprobe:plain { printf("%d %d\\n", pid, nsecs); }',
                  pid=numbers(works))
    armed(trace, works)
    for _ in range(20):
        for work in works:
            work.do("plain 5")
    out, status = trace.end()
    said = [tuple(map(int, line.split())) for line in out.splitlines()
            if re.fullmatch(r"\d+ \d+", line)]
    wanted = [work.pid for _ in range(20) for work in works for _ in range(5)]
    for work in works:
        work.end()
    return (status or [pid for pid, _ in said] != wanted or
            sorted(said, key=lambda one: one[1]) != said) and out + trace.err


def one_ends():
    works = [Work() for _ in range(3)]
    trace = Trace("uprobe:plain { @[pid] = count(); }", pid=numbers(works))
    armed(trace, works)
    works[0].do("plain 5")
    works[0].process.kill()
    works[0].process.wait()
    works[1].do("plain 6")
    works[1].end()
    works[2].do("plain 7")
    if trace.process.poll() is not None:
        return "it has ended with the first"
    works[2].end()
    out, status = trace.end(how=None)
    wanted = {f"@[{work.pid}]": str(nr + 5) for nr, work in enumerate(works)}
    return (status or maps(out) != wanted) and f"{status} {out} {trace.err}"


def one_cannot():
    works = [Work() for _ in range(2)]
    stopped = Work()
    stopped.process.send_signal(signal.SIGSTOP)
    other = subprocess.Popen(["sleep", "1000"])
    trace = Trace("uprobe:plain { @ = count(); }",
                  pid=f"{numbers(works)},{stopped.pid},{other.pid},999999999")
    armed(trace, works)
    for work in works:
        work.do("plain 5")
    out, status = trace.end()
    stopped.process.send_signal(signal.SIGCONT)
    other.kill()
    other.wait()
    for one in (*works, stopped):
        one.end()
    return (status or maps(out) != {"@": "10"} or
            f"process {other.pid} has none" not in trace.err or
            "there is no process 999999999" not in trace.err or
            str(stopped.pid) not in trace.err) and f"{status} {out} {trace.err}"


def none_can():
    other = subprocess.Popen(["sleep", "1000"])
    trace = Trace("uprobe:plain { @ = count(); }", pid=f"{other.pid},999999999")
    out, status = trace.end(how=None)
    other.kill()
    other.wait()
    return (not status or "there is no process" not in trace.err) and \
        f"{status} {out} {trace.err}"


def by_name():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "kprobes-many-workers")
        shutil.copy(WORK, program)
        works = [Work(program), Work(program)]
        other = Work()
        trace = Trace("uprobe:plain { @ = count(); }", pid="kprobes-many-workers")
        armed(trace, works)
        for work in (*works, other):
            work.do("plain 5")
        out, status = trace.end()
        for work in (*works, other):
            work.end()
    said = re.search(r"kprobes-many-workers:(.*)", trace.err)
    return (status or maps(out) != {"@": "10"} or not said or
            set(said[1].split()) != {str(work.pid) for work in works}) and \
        f"{status} {out} {trace.err}"


def group(folder, works):
    """A control group of the kernel's with them, or what looks like one."""
    for base in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids"):
        path = os.path.join(base, os.path.basename(folder))
        if not os.path.exists(os.path.join(base, "cgroup.procs")):
            continue
        try:
            os.mkdir(path)
        except OSError:
            continue
        try:
            for work in works:
                with open(os.path.join(path, "cgroup.procs"), "w",
                          encoding="ascii") as file:
                    file.write(str(work.pid))
            return path
        except OSError:
            os.rmdir(path)
    pretended(folder, works)
    return folder


def pretended(folder, works):
    os.makedirs(folder)
    with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
        file.writelines(f"{work.pid}\n" for work in works)


def asked_of(works, *words, env=None):
    """They alone answer; what is wrong, or None."""
    other = Work()
    trace = Trace("uprobe:plain { @ = count(); }", *words, env=env)
    armed(trace, works)
    for work in (*works, other):
        work.do("plain 5")
    out, status = trace.end()
    other.end()
    return (status or maps(out) != {"@": str(5 * len(works))}) and \
        f"{words}: {status} {out} {trace.err}"


def in_group():
    works = [Work(), Work()]
    with tempfile.TemporaryDirectory() as folder:
        path = group(os.path.join(folder, f"kprobes-{os.getpid()}"), works)
        problem = asked_of(works, "--cgroup", path)
        if not problem and path.startswith("/sys"):
            problem = asked_of(works, "--cgroup", os.path.basename(path))
        for work in works:
            work.end()
        if path.startswith("/sys"):
            os.rmdir(path)
    return problem


def in_container():
    works = [Work(), Work()]
    name, other = "0123456789abcdef" * 4, "fedcba9876543210" * 4
    with tempfile.TemporaryDirectory() as folder:
        pretended(f"{folder}/cg/system.slice/docker-{name}.scope", works[:1])
        pretended(f"{folder}/cg/system.slice/docker-{name}.scope/below", works[1:])
        pretended(f"{folder}/cg/system.slice/docker-{other}.scope", [])
        pretended(f"{folder}/cg/lxc.payload.shop", works)
        os.makedirs(f"{folder}/docker/{name}")
        with open(f"{folder}/docker/{name}/config.v2.json", "w",
                  encoding="ascii") as file:
            file.write('{"ID":"x","Name":"/till","State":{}}')
        env = {"KPROBES_CGROUP_DIR": f"{folder}/cg",
               "KPROBES_DOCKER_DIR": f"{folder}/docker"}
        for word in (name, name[:12], "till", "shop"):
            problem = asked_of(works, "--container", word, env=env)
            if problem:
                return problem
        # In each hierarchy, once more; and what a container calls as another.
        pretended(f"{folder}/cg/cpu/lxc.payload.mill", works[:1])
        pretended(f"{folder}/cg/memory/lxc.payload.mill", works[1:])
        problem = asked_of(works, "--container", "mill", env=env)
        if problem:
            return problem
        pretended(f"{folder}/cg/memory/lxc.payload.evil/lxc.payload.mill", works[1:])
        for word, text in ((other[:8], "no process"), ("docker", "no container"),
                           ("nobody", "no container"), ("mill", "several containers")):
            trace = Trace("uprobe:plain { @ = count(); }", "--container", word,
                          env=env)
            if not trace.end(how=None)[1] or text not in trace.err:
                return f"{word}: {trace.out} {trace.err}"
    for work in works:
        work.end()
    return None


def of_users():
    """Of two users at once, also where programs are followed."""
    if os.geteuid():
        raise answers.Skipped("only root can start processes of two users")
    for options in ([], ["-f"]):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(WORK, folder)
            works = [Work(program), Work(["setpriv", "--reuid=65534",
                                          "--clear-groups", program])]
            trace = Trace("uprobe:plain { @[uid] = count(); }", *options,
                          pid=numbers(works))
            armed(trace, works)
            works[0].do("plain 5")
            works[1].do("plain 6")
            out, status = trace.end()
            for work in works:
                work.end()
        if status or maps(out) != {"@[0]": "5", "@[65534]": "6"}:
            return f"{options}: {status} {out} {trace.err}"
    return None


def in_namespace():
    """What has another number there has the one here in the answer."""
    namespace = ["unshare", "--pid", "--fork", "--mount-proc"]
    # In a plain chroot, whose root is no mount point, /proc cannot be mounted anew.
    attempt = subprocess.run([*namespace, "true"], stderr=subprocess.PIPE, text=True, check=False)
    if attempt.returncode:
        raise answers.Skipped(f"no namespace with a /proc of its own: {attempt.stderr.strip()}")
    work = Work([*namespace, WORK])
    pid, = children_of(work.pid)
    trace = Trace("uprobe:plain { @[pid] = count(); } "
                  f"uprobe:plain /pid == {pid}/ {{ @here = count(); }}", pid=pid)
    trace.wait_for("probe")
    trace.probed(Child(pid), 1)
    work.do("plain 5")
    out, status = trace.end()
    work.end()
    return (status or maps(out) != {f"@[{pid}]": "5", "@here": "5"}) and \
        f"{status} {out} {trace.err}"


def killed():
    for who in ("face", "controller"):
        works = [Work(), Work()]
        trace = Trace("uprobe:plain { @ = count(); }", pid=numbers(works))
        armed(trace, works)
        trace.kill(who)
        end = time.time() + PATIENCE
        while not all(not_probed(w.pid) for w in works) and time.time() < end:
            for work in works:
                work.do("plain 1000 2")
        trace.process.kill()
        trace.process.communicate()
        for work in works:
            work.do("plain 5")
        if time.time() >= end or any(work.end() for work in works):
            return f"the {who}: a probe stays, or a target is harmed"
    return None


def dying():
    """One ends while it is attached to, at whatever moment."""
    for wait in range(0, 60, 6):
        works = [Work(), Work()]
        trace = Trace("uprobe:plain { @ = count(); }", pid=numbers(works))
        time.sleep(wait / 1000)
        works[0].process.kill()
        works[0].process.wait()
        armed(trace, works[1:])
        works[1].do("plain 5")
        out, status = trace.end()
        works[1].end()
        if status or "@: 5" not in out:
            return f"{wait} ms: {status} {out} {trace.err}"
    return None


def programs():
    """What a traced process executes, from its main on."""
    work = Work()
    trace = Trace("uprobe:plain { @[pid, comm] = count(); @n = count(); }", "-f",
                  pid=work.pid)
    armed(trace, [work])
    work.do("run 5", "plain 3", "run 6", "fork 4")
    out, status = trace.end()
    found = maps(out)
    if status or found.get("@n") != "18" or \
            sorted(found.values()) != ["18", "3", "4", "5", "6"]:
        return f"{status} {out} {trace.err}"
    work.do("run 2", "plain 3")
    return (not not_probed(work.pid) or work.end()) and "it is not left as it was"


def started():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\necho plain 4 | {WORK} >/dev/null\n"
                       f"echo plain 5 | exec {WORK}\n")
        os.chmod(script, 0o755)
        trace = Trace("uprobe:plain { @[pid] = count(); @n = count(); }"
                      " uprobe:libc:getenv { @libc = count(); }", "--follow",
                      "--", "sh", "-c", f"{script}; {script} | cat; env")
        out, status = trace.end(how=None)
    found = maps(out)
    return (status or found.get("@n") != "18" or len(found) < 6 or trace.err or
            "KPROBES_" in out or "LD_PRELOAD" in out or "PATH=" not in out) and \
        f"{status} {out} {trace.err}"


def becomes():
    """A process that executes another program in its own place."""
    trace = Trace("uprobe:plain { @[pid, comm, ustack(1)] = count(); }", "-f", "--",
                  "sh", "-c", f"echo plain 5 | exec sh -c 'exec {WORK}'")
    out, status = trace.end(how=None)
    return (status or not re.search(r", work, \n +plain\+0\n\]: 5$", out, re.M) or
            trace.err) and f"{status} {out} {trace.err}"


def children():
    """One by fork lives longer than who was asked of."""
    work = Work()
    trace = Trace("uprobe:plain { @[pid] = count(); }", "-f", pid=work.pid)
    armed(trace, [work])
    work.do("plain 2", "leave 7")
    work.process.stdin.close()
    work.process.wait()
    out, status = trace.end(how=None)
    if status or sorted(maps(out).values()) != ["2", "7"]:
        return f"{status} {out} {trace.err}"
    work = Work()
    trace = Trace("uprobe:plain { @ = count(); }", "-f", pid=work.pid)
    armed(trace, [work])
    work.do("leave 7")
    child, = children_of(work.pid)
    trace.end()
    left = not_probed(child)
    return work.end() or (not left and f"the child is still probed: {trace.err}")


def named_badly():
    """The dynamic linker could not be told of the library."""
    work = Work()
    with tempfile.TemporaryDirectory(prefix="with a blank ") as folder:
        library = shutil.copy(os.path.join(BUILD, "libkprobes.so"), folder)
        trace = Trace("uprobe:plain { @ = count(); }", "-f", pid=work.pid,
                      env={"KPROBES_LIBRARY": library})
        out, status = trace.end(how=None)
    left = not_probed(work.pid)
    return work.end() or ((not left or not status or "blanks or colons" not in trace.err) and
                          f"{status} {out} {trace.err}")


class Child:
    def __init__(self, pid):
        self.pid = pid


def claimed():
    """Memory that is there for programs to come is taken by who is none."""
    work, other = Work(), Work()
    trace = Trace("uprobe:plain { @[pid] = count(); }", "-f", pid=work.pid)
    armed(trace, [work])
    controller = children_of(trace.process.pid)[0]
    folder = f"/proc/{controller}/fd"
    spare = sorted(int(fd) for fd in os.listdir(folder)
                   if "memfd:kprobes-trace" in os.readlink(f"{folder}/{fd}"))[1:]
    state, waits, given_up = 8, 2, 4
    pieces = []
    for fd, pid in ((spare[0], other.pid), (spare[1], 999999999), (spare[2], 0),
                    (spare[3], os.getpid())):
        with open(f"{folder}/{fd}", "r+b") as file:
            pieces.append(mmap.mmap(file.fileno(), 8192))
        pieces[-1][72:76] = pid.to_bytes(4, "little")
        pieces[-1][state] = waits
    # Nor can any be taken away from who looks into it.
    with open(f"{folder}/{spare[4]}", "r+b") as file:
        try:
            os.ftruncate(file.fileno(), 0)
        except PermissionError:
            pass
    end = time.time() + PATIENCE
    while [one[state] for one in pieces[:3]] != 3 * [given_up] and \
            time.time() < end:
        time.sleep(0.02)
    # The fourth says who it is, and never does what it has said.
    while pieces[3][state] == waits and time.time() < end:
        time.sleep(0.02)
    work.do("plain 5")
    other.do("plain 5")
    good = not_probed(other.pid)
    out, status = trace.end()
    work.end()
    other.end()
    return (not good or time.time() >= end or status or
            maps(out) != {f"@[{work.pid}]": "5"}) and f"{status} {out} {trace.err}"


def many():
    """More programs than can be followed; and short ones."""
    trace = Trace("uprobe:libc:setlocale { @[comm] = count(); }", "-f", "--", "sh", "-c",
                  "for i in $(seq 80); do /bin/echo >/dev/null; done; echo done")
    out, status = trace.end(how=None)
    return (status or "done\n" not in out or not maps(out).get("@[echo]") or
            "which is the limit" not in trace.err) and f"{status} {out} {trace.err}"


def drawn():
    """Each program has a script of its own, and all are in one timeline."""
    with tempfile.NamedTemporaryFile(suffix=".pftrace") as file:
        trace = Trace(["trace", "-f", "--perfetto", file.name, "libc:setlocale", "plain",
                       "--", "sh", "-c", f"/bin/echo x; echo plain 5 | {WORK} >/dev/null"])
        out, status = trace.end(how=None)
        timeline = Timeline(file.name)
    found = {(timeline.tracks[on], name) for on, name, *_ in timeline.slices}
    return (status or not found >= {("echo", "setlocale"), ("work", "plain")} or
            timeline.still) and f"{status} {out} {trace.err} {found}"


def other_programs():
    """What cannot be followed is executed as ever, and nothing is said there."""
    with tempfile.TemporaryDirectory() as folder:
        rights, done = (os.path.join(folder, name) for name in ("rights", "done"))
        subprocess.run(["cc", "-static", "-x", "c", "-", "-o", rights], check=True,
                       text=True, input='#include <stdlib.h>\n#include <stdio.h>\n'
                       '#include <unistd.h>\nint main(int n, char **v) { '
                       'while (n > 1 && access(v[1], F_OK)) usleep(10000); '
                       'printf("%s\\n", getenv("LD_PRELOAD") ? "bad" : "good"); }')
        # Of its own user: it could gain rights, and gains none.
        os.chmod(rights, 0o4755)
        trace = Trace("uprobe:plain { @ = count(); }", "-f", "--", "sh", "-c",
                      f"{rights}; {rights}; echo plain 3 | {WORK} >/dev/null; /nonexistent/x;"
                      f" exec {rights} {done}")
        said = trace.errors_until("cannot be followed")
        with open(done, "w", encoding="ascii"):
            pass
        out, status = trace.end(how=None)
    return (status or out.count("good") != 3 or maps(out) != {"@": "3"} or
            len((said + trace.err).splitlines()) != 2 or
            "cannot be followed" not in said) and f"{status} {out} {said} {trace.err}"


def with_capabilities():
    """A program that gains rights by its file's capabilities gets nothing of ours."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.path.join(folder, "env")
        shutil.copy("/usr/bin/env", env)
        os.chmod(folder, 0o755)
        try:
            # Revision 2, effective: CAP_NET_RAW.
            os.setxattr(env, "security.capability",
                        struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
        except OSError as error:
            raise answers.Skipped(f"no capabilities on files: {error}") from error
        trace = Trace("uprobe:libc:setlocale { @[comm] = count(); }", "-f", "--",
                      "setpriv", "--reuid", "65534", "--clear-groups", env)
        out, status = trace.end(how=None)
    return (status or "PATH=" not in out or "KPROBES_" in out or
            "@[setpriv]" not in out) and f"{status} {out} {trace.err}"


def orphaned():
    """Who asked is gone: its number and its descriptors are another's."""
    with tempfile.TemporaryFile() as empty:
        env = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "libkprobes.so"),
                   KPROBES_FOLLOWED="", KPROBES_LOAD=os.path.join(BUILD, "modules/trace.so")
                   + f" asker={os.getpid()} fd={empty.fileno()} shares=2")
        done = subprocess.run(["/bin/echo", "well"], env=env, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
    return (done.returncode or done.stdout != "well\n") and str(done)


def numbered(pid):
    """A process of that number, or None."""
    for _ in range(20):
        with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as file:
            file.write(str(pid - 1))
        work = Work()
        if work.pid == pid:
            return work
        work.end()
    return None


def replaced():
    """It ends before it is attached to, and another gets its number."""
    if os.geteuid():
        raise answers.Skipped("only root chooses the number of a process")
    for _ in range(10):
        work = Work()
        trace = Trace("uprobe:plain { @ = count(); }", pid=work.pid)
        reader = None
        while trace.process.poll() is None and not reader:
            of_controller = [children_of(pid) for pid in children_of(trace.process.pid)]
            if of_controller and len(of_controller[0]) > 1:
                reader = of_controller[0][-1]
                os.kill(reader, signal.SIGSTOP)
        early = not_probed(work.pid)
        work.process.kill()
        work.process.wait()
        other = numbered(work.pid) if early else None
        if reader:
            os.kill(reader, signal.SIGCONT)
        out, status = trace.end(how=None if other else signal.SIGINT)
        if other:
            left = not_probed(other.pid)
            other.end()
            return (not left or not status or "has ended" not in trace.err) and \
                f"{status} {out} {trace.err}"
    return None


def obeyed():
    """What the processes obey the reader can only read."""
    works = [Work(), Work()]
    trace = Trace("uprobe:plain { @ = count(); }", "-f", pid=numbers(works))
    armed(trace, works)
    reader = children_of(children_of(trace.process.pid)[0])[1]
    with open(f"/proc/{reader}/maps", encoding="ascii") as file:
        found = re.findall(r" (\S+) 00000000 .*memfd:kprobes-trace", file.read())
    out, status = trace.end()
    for work in works:
        work.end()
    return (status or len(found) < 2 or set(found) != {"r--s"}) and \
        f"{status} {found} {out} {trace.err}"


def blocked():
    """Who opens files for the reader never answers again: two signals end it."""
    work = Work()
    trace = Trace("uprobe:plain { @ = count(); }", pid=work.pid)
    armed(trace, [work])
    opener = children_of(children_of(trace.process.pid)[0])[0]
    os.kill(opener, signal.SIGSTOP)
    for _ in range(60):
        trace.process.send_signal(signal.SIGINT)
        try:
            trace.process.wait(1)
            break
        except subprocess.TimeoutExpired:
            pass
    if trace.process.poll() is None:
        os.kill(opener, signal.SIGCONT)
    out, status = trace.end(how=None)
    left = not_probed(work.pid)
    work.end()
    return (not left or not status or "a second signal" not in trace.err) and \
        f"{status} {out} {trace.err}"


TESTS = {
    "several processes add up": added_up,
    "... what can be probed is listed once": listed,
    "... their events are in one order of time": in_order,
    "one of several ends: the others go on": one_ends,
    "one of several cannot be traced: the others are": one_cannot,
    "none of several can be traced": none_can,
    "processes by name": by_name,
    "all of a control group": in_group,
    "all of a container": in_container,
    "processes of two users": of_users,
    "a process that has another number where it is": in_namespace,
    "who traces several is killed: no probe stays": killed,
    "programs that a process executes, from their begin": programs,
    "a timeline of programs that are executed": drawn,
    "... and all that a new process does, by scripts and pipes": started,
    "... and what it becomes itself": becomes,
    "children by fork, until the last one ends": children,
    "who claims to be a program to follow": claimed,
    "more programs than can be followed": many,
    "programs that cannot be followed": other_programs,
    "... that gain rights": with_capabilities,
    "... since who asked is gone": orphaned,
    "... since the library's path has blanks": named_badly,
    "one of several ends while it is attached to": dying,
    "one ends before that, and another gets its number": replaced,
    "files that are never opened": blocked,
    "what the reader cannot write": obeyed,
}

for name, test in TESTS.items():
    if len(sys.argv) < 3 or test.__name__ in sys.argv[2:]:
        tried(name, test)
sys.exit(answers.failed)
