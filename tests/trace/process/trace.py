#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: what is asked is answered, exactly.

Owns: questions to tests/trace/process/work.c, which does what it is told, each
with the answer that follows from what it was told; and the ends: of the target,
of the one who asks, of either by SIGKILL.
Prints one "ok" or "not ok" line a test.  Usage: trace.py BUILD
"""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report, until_set
from asking import BUILD, KPROBES, WORK, Trace, Work, asked, maps, not_probed
from timeline import Timeline


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def has(**wanted):
    """Maps by name, without the @ (total is @)."""
    return has_maps({"@" + ("" if name == "total" else name): str(value)
                     for name, value in wanted.items()})


def has_maps(wanted):
    return lambda out: maps(out) == wanted


def says(*wanted):
    """These lines are there, in this order, and no other of their kind."""
    def check(out):
        found = [line for line in lines(out) if not line.startswith("Attached")]
        return found == list(wanted)
    return check


# ---- what is asked ------------------------------------------------------------

def counts():
    asked("a count is exact, with 4 threads", "uprobe:plain { @ = count(); }",
          ["plain 100000 4"], has(total=400000))
    asked("by a key", "uprobe:plain { @[arg0 % 3] = count(); }",
          ["plain 9000 3"], has_maps({f"@[{i}]": "9000" for i in range(3)}))
    asked("by two keys", "uprobe:plain { @[arg0 % 2, comm] = count(); }",
          ["plain 1000"],
          has_maps({"@[0, work]": "500", "@[1, work]": "500"}))
    asked("a filter", "uprobe:plain /arg0 >= 10 && arg0 < 20/ { @ = count(); }",
          ["plain 100 2"], has(total=20))
    asked("sum, min, max, avg",
          "uprobe:plain { @s = sum(arg0); @n = min(arg0); @x = max(arg0);"
          " @a = avg(arg0); }", ["plain 101"],
          has(s=5050, n=0, x=100, a=50))
    asked("stats", "uprobe:plain { @ = stats(arg0); }", ["plain 101"],
          has(total="count 101, average 50, total 5050"))
    asked("assigned, and changed", "uprobe:plain { @last = arg0; @n++; }",
          ["plain 50"], has(last=49, n=50))
    asked("a thousand probes' worth of keys, of which 100 fit",
          "uprobe:plain { @[arg0] = count(); }", ["plain 100"],
          lambda out: len(maps(out)) == 100)


def histograms():
    asked("a histogram", "uprobe:sized { @ = hist(arg0); }", ["sized 20"],
          lambda out: "[1]" in out and "[512K, 1M)" in out and
          len(re.findall(r"\|$", out, re.M)) == 20)
    asked("a linear histogram", "uprobe:plain { @ = lhist(arg0, 0, 100, 10); }",
          ["plain 120"], lambda out:
          len(re.findall(r"^\[\d+, \d+\) +10 \|", out, re.M)) == 10 and
          re.search(r"^\[100, \.\.\.\) +20 \|", out, re.M))


def events():
    asked("events, all and in order",
          'uprobe:plain { printf("%d\\n", arg0); }', ["plain 1000"],
          says(*map(str, range(1000))))
    asked("strings", 'uprobe:named { printf("%s %d\\n", str(arg0), arg1); }',
          ["named 4"], says("zero 4", "alpha 5", "beta 4", "a longer name 13"))
    asked("the seventh and eighth argument",
          'uprobe:seven { printf("%d %d\\n", arg6, arg7); }', ["seven 2"],
          says("7 0", "7 1"))
    asked("what a function returns",
          'uretprobe:plain { @[retval] = count(); }', ["plain 3"],
          has_maps({"@[0]": "1", "@[2]": "1", "@[4]": "1"}))
    asked("how long it takes",
          "uprobe:slow { @begin[tid] = nsecs; } "
          "uretprobe:slow /@begin[tid]/ { @us = min((nsecs - @begin[tid]) / 1000);"
          " delete(@begin[tid]); }", ["slow 5 2"],
          lambda out: int(maps(out)["@us"]) >= 2000 and len(maps(out)) == 1)
    asked("a string as a key, and compared",
          'uprobe:named /str(arg0) == "beta" || str(arg0) == "zero"/'
          ' { @[str(arg0)] = count(); }', ["named 40"],
          has_maps({"@[beta]": "10", "@[zero]": "10"}))
    asked("parameters", "uprobe:plain /arg0 == $1/ { @[str($2)] = count(); }",
          ["plain 10"], has_maps({"@[seven]": "1"}), params=("7", "seven"))
    asked("an if, a variable, a ternary",
          'uprobe:plain { $x = arg0 * 2; if ($x > 4) { @big++; } else { @small++; }'
          ' @last = $x > 4 ? 1 : 0; }', ["plain 10"],
          has(big=7, small=3, last=1))
    asked("the function's name, by wildcard",
          "uprobe:work:s*d { @[func] = count(); } uprobe:work:plai? { @[func] = count(); }",
          ["sized 3", "plain 2"],
          has_maps({"@[sized]": "3", "@[plain]": "2"}))
    asked("an offset", "uprobe:plain+0 { @ = count(); }", ["plain 3"],
          has(total=3))


def watched():
    asked("each write to a variable, by 4 threads, and who does it",
          "watchpoint:counter:8:w { @[func] = count(); }", ["stored 100 4", "plain 10"],
          has_maps({"@[stored]": "400"}))
    asked("what changes it, from what to what",
          'watchpoint:counter:8:c { printf("%d %d %d\\n", args.before, arg1, args.size); }',
          ["stored 10"], says("0 1 8", "1 2 8", "2 3 8", "3 4 8"))
    asked("from where", "watchpoint:counter { @[ustack(2)] = count(); }", ["stored 5"],
          lambda out: re.search(r"stored\+\d+\n +\w+\+\d+\n\]: 5", out))
    asked("a filter on what is written, beside a function",
          "watchpoint:counter:8:w /args.after == 3/ { @w = count(); } "
          "uprobe:stored { @f = count(); }", ["stored 20"], has(w=2, f=20))


def watch_command():
    work = Work()
    trace = Trace(["watch", "counter", "items+8:8:w"], pid=work.pid)
    trace.probed(work, 2)
    work.do("stored 7")
    trace.wait_for("2 -> 3")
    out, status = trace.end()
    found = re.findall(r"^counter 0x[0-9a-f]+: (\d+ -> \d+) \(0x(\d) -> 0x(\d)\), "
                       r"work \d+/\d+\n +stored\+\d+\n", out, re.M)
    report("kprobes watch says what changes, from what to what, and who does it",
           status or found != [("0 -> 1", "0", "1"), ("1 -> 2", "1", "2"),
                               ("2 -> 3", "2", "3")] and out)
    trace = Trace(["watch", "counter:8:w", "--thread", str(work.pid)], pid=work.pid)
    trace.probed(work, 1)
    work.do("stored 9 4", "mine 3", "stored 9 4", "mine 5")
    out, status = trace.end()
    found = re.findall(r"^counter 0x[0-9a-f]+: .*, work \d+/(\d+)$", out, re.M)
    report("kprobes watch --thread: what that thread does, and no other",
           status or found != [str(work.pid)] * 8 and out)
    overrun = os.path.join(BUILD, "tests", "trace", "overrun")
    run = subprocess.run([KPROBES, "watch", "shop+32:8", "--", overrun], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    found = re.findall(r"^shop\+32 0x[0-9a-f]+: (\d+ -> \d+) .*, overrun \d+/\d+\n"
                       r" +retitle\+\d+\n", run.stdout, re.M)
    report("kprobes watch finds what a program does wrong once in three millions",
           None if found == ["1000 -> 872", "872 -> 29800"] and
           "late: the limit is 29800\n" in run.stdout else run.stdout + run.stderr)
    for words, places, message in (("a variable that is not there", ["nowhere"], "no such symbol"),
                                   ("what is no place", ["a b"], "a variable or an address"),
                                   ("an address without a length", ["0x1000"], "how many bytes"),
                                   ("a thread that is no number", ["counter", "--thread", "x"],
                                    "a thread's number")):
        trace = Trace(["watch", *places], pid=work.pid)
        out, status = trace.end(how=None)
        report(f"kprobes watch: {words} is refused",
               not (status and message in trace.err) and f"{status} {out} {trace.err}")
    work.end()


def coded():
    """Probes on code instead of registers or pages."""
    work = Work()
    trace = Trace(["watch", "-v", "items:w", "counter:8:w", "--code", "stored,fil*"],
                  pid=work.pid)
    trace.probed(work, 1)
    listed = subprocess.run([KPROBES, "list", "-p", str(work.pid)], text=True,
                            stdout=subprocess.PIPE).stdout
    work.do("stored 100 4", "plain 10")
    out, status = trace.end()
    found = re.findall(r"^counter 0x[0-9a-f]+: \d+ -> \d+ .*, work \d+/\d+\n +stored\+\d+\n",
                       out, re.M)
    report("kprobes watch --code: what these functions write, by 4 threads",
           status or len(found) != 400 and out[:2000])
    report("K-WAT-36 kprobes watch --code: however many bytes",
           listed.count("[WRITE][CODE]") != 2 and listed)
    overrun = os.path.join(BUILD, "tests", "trace", "overrun")
    run = subprocess.run([KPROBES, "watch", "shop+32:8", "--code", "@shop", "--", overrun],
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=PATIENCE)
    found = re.findall(r"^shop\+32 0x[0-9a-f]+: (\d+ -> \d+) .*, overrun \d+/\d+\n"
                       r" +retitle\+\d+\n", run.stdout, re.M)
    report("kprobes watch --code @TYPE: by those that can get at it",
           None if found == ["232 -> 104", "3 -> 116"] and
           "by a cast is not seen" in run.stderr else run.stdout + run.stderr)
    for words, options, message in (
            ("no such type", ["counter:8", "--code", "@nothing"], "a type nothing"),
            ("code that writes nothing", ["counter:8", "--code", "plain"], "writes no memory"),
            ("no such function", ["counter:8", "--code", "nowhere"], "no such function"),
            ("reads by code", ["counter:8:rw", "--code", "stored"], "reads are not seen"),
            ("an empty list", ["counter:8", "--code", ","], "functions separated by commas")):
        trace = Trace(["watch", *options], pid=work.pid)
        out, status = trace.end(how=None)
        report(f"kprobes watch --code: {words} is refused",
               not (status and message in trace.err) and f"{status} {out} {trace.err}")
    work.end()
    followed("of what malloc returns, what one function writes: no limit",
             ["--on-return", "malloc:w", "--where", "arg0 == 24", "--code", "filled"],
             ["heap 50 4"], 200, 3, r"^malloc\+(?:0|16) 0x[0-9a-f]+: .*\n +filled\+\d+\n")


def threads_of(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def files_of_others(pid):
    """Of its threads but the first one, by number."""
    opened = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            opened += os.listdir(f"/proc/{pid}/task/{task}/fd") if task != str(pid) else []
        except OSError:
            pass
    return opened


def followed(words, options, jobs, objects, accesses, where):
    """Each object is told of as often as it is accessed, or counted as not watched."""
    work = Work()
    trace = Trace(["watch", "-v", *options], pid=work.pid)
    trace.probed(work, 1)
    work.do(*jobs)
    out, status = trace.end()
    lost = sum(map(int, re.findall(r"^Lost (\d+) objects? of", trace.err, re.M)))
    told = len(re.findall(where, out, re.M))
    report(words, None if not status and lost < objects and
           told == (objects - lost) * accesses else
           f"{status}: {told} told, {lost} of {objects} lost\n{out[:2000]}{trace.err}")
    end = time.time() + 10
    while threads_of(work.pid) > 1 and time.time() < end:
        time.sleep(0.05)
    report("... and no thread is left", threads_of(work.pid) > 1 and "there are more")
    work.end()


def returned():
    at = r"^malloc\+0 0x[0-9a-f]+: \d+ -> \d+ .*, work \d+/\d+\n +filled\+\d+\n"
    ours = ["--where", "arg0 == 24"]
    followed("what malloc returns, until it is freed",
             ["--on-return", "malloc:8:w", *ours], ["heap 50"], 50, 2, at)
    followed("the same by 4 threads",
             ["--on-return", "malloc:8:w", *ours], ["heap 50 4"], 200, 2, at)
    followed("more than is watched at a time is counted",
             ["--on-return", "malloc:w", *ours], ["heap 50 4"], 200, 3,
             at.replace("malloc\\+0", r"malloc\+(?:0|16)"))
    followed("a function that calls itself, and what ends its objects",
             ["--on-return", "make_cell:8:w", "--until", "drop_cell"], ["cells 20"], 80, 1,
             r"^make_cell\+0 .*\n +(?:cells|one)\+")
    followed("what changes", ["--on-return", "malloc:8", *ours], ["heap 20"], 20, 2,
             at)
    work = Work()
    trace = Trace(["watch", "--on-return", "malloc:8:w", *ours], pid=work.pid)
    trace.probed(work, 4)
    work.do("bear 7", "heap 2")
    out, status = trace.end()
    report("what a forked child allocates is counted as not watched",
           None if not status and "Lost 7 objects of" in trace.err and
           len(re.findall(at, out, re.M)) == 4 else f"{status} {out} {trace.err}")
    work.end()
    work = Work()
    trace = Trace(["watch", "--on-return", "malloc:8:w", *ours], pid=work.pid)
    trace.probed(work, 4)
    end = time.time() + 10
    while (files_of_others(work.pid) or threads_of(work.pid) != 3) and time.time() < end:
        time.sleep(0.05)
    report("the two threads that see to it have no files",
           files_of_others(work.pid) or (threads_of(work.pid) != 3 and "there are others"))
    trace.end()
    work.end()
    work = Work()
    work.process.stdin.write("heap 1000000000 4\n")
    work.process.stdin.flush()
    trace = Trace(["watch", "--on-return", "malloc:8:w", *ours], pid=work.pid)
    trace.wait_for("filled")
    out, status = trace.end()
    found = set(re.findall(r", work \d+/\d+\n +(\w+)\+", out))
    report("an end while all are at work: what frees is told of no more than before",
           None if not status and found == {"filled"} else f"{status} {found} {trace.err}")
    work.process.kill()
    work.process.wait()
    followed("of one thread none", ["--on-return", "malloc:8:w", *ours, "--thread", "1"],
             ["heap 20"], 20, 0, at)
    work = Work()
    for words, options, message in (
            ("no function", ["--on-return", ""], "--on-return takes FUNCTION"),
            ("a function that is not there", ["--on-return", "nowhere:8"], "nowhere"),
            ("how many bytes", ["--on-return", "plain"], "how many bytes does plain return"),
            ("no bytes", ["--on-return", "plain:8;"], "--on-return takes FUNCTION"),
            ("--until alone", ["counter", "--until", "free"], "belong to --on-return"),
            ("nothing", [], "what is watched?")):
        trace = Trace(["watch", *options], pid=work.pid)
        out, status = trace.end(how=None)
        report(f"kprobes watch: {words} is refused",
               not (status and message in trace.err) and f"{status} {out} {trace.err}")
    work.end()


def stacks():
    asked("a stack of a program without frame pointers",
          "uprobe:plain { @[ustack] = count(); }", ["deep 7"],
          lambda out: re.search(r"^ +plain\+0$", out, re.M) and
          len(re.findall(r"^ +deep\+\d+$", out, re.M)) == 21 and
          "start_thread" in out and "]: 7" in out)
    asked("a stack below a return probe",
          "uretprobe:deep { @n = count(); } uprobe:plain { @[ustack] = count(); }",
          ["deep 7"],
          lambda out: len(re.findall(r"^ +deep\+\d+$", out, re.M)) == 21 and
          "start_thread" in out and "@n: 147" in out)


def changes():
    work = Work()
    trace = Trace("uprobe:fails /arg0 % 10 == 3/ { override(-1); }", pid=work.pid)
    trace.armed(work)
    work.process.stdin.write("fails 100\n")
    work.process.stdin.flush()
    answer = work.process.stdout.readline().strip()
    trace.end()
    report("another return value",
           answer != "done -10" and f"{answer}, {trace.err}")
    work.end()


# ---- ends -----------------------------------------------------------------------

def begins_and_ends():
    asked("BEGIN, END, interval",
          'BEGIN { printf("first\\n"); } END { printf("last\\n"); clear(@); }'
          " interval:ms:20 { @ = count(); }"
          " uprobe:slow { @n = count(); }", ["slow 100"],
          lambda out: "first" in out and "last" in out and "@n: 100" in out and
          "@: " not in out)
    work = Work()
    trace = Trace("uprobe:plain { @ = count(); if (arg0 == 5) { exit(); } }",
                  pid=work.pid)
    trace.armed(work)
    work.do("plain 6")
    out, status = trace.end(how=None)
    report("exit() ends it", (status or "@: 6" not in out) and out + trace.err)
    work.do("plain 6")
    report("the target goes on", work.end())


def killed():
    work = Work()
    trace = Trace('uprobe:plain { printf("%d\\n", arg0); @ = count(); }',
                  pid=work.pid)
    trace.armed(work)
    work.do("plain 500")
    work.process.kill()
    out, status = trace.end(how=None)
    report("what a target did that is killed is there", not (
        "@: 500" in out and "499\n" in out and status == 0) and
        f"{status} {out[-200:]} {trace.err}")
    work.process.wait()
    for who in ("face", "controller"):
        work = Work()
        trace = Trace("uprobe:plain { @ = count(); }", pid=work.pid)
        trace.armed(work)
        trace.kill(who)
        end = time.time() + PATIENCE
        while not not_probed(work.pid) and time.time() < end:
            work.do("plain 1000 2")
            time.sleep(0.05)
        report(f"the {who} is killed: no probe stays", time.time() >= end)
        trace.process.kill()
        trace.process.wait()
        work.do("plain 5")
        report("... and the target goes on", work.end())


def changed():
    target = subprocess.Popen([WORK], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE)
    target.stdout.readline()
    trace = Trace("uprobe:plain { @ = count(); }", pid=target.pid)
    trace.armed(target)
    target.stdin.write("plain 5\nexec 1\n")
    target.stdin.flush()
    out, status = trace.end(how=None)
    report("a target that begins another program", not (
        status == 0 and "@: 5" in out and "another program" in trace.err) and
        f"{status} {out} {trace.err}")
    target.kill()
    target.communicate()
    work = Work()
    trace = Trace("uprobe:plain { @ = count(); }", pid=work.pid)
    trace.armed(work)
    work.do("plain 5", "fork 7", "plain 5")
    out, status = trace.end()
    report("what its children do is counted, too", "@: 17" not in out and
           out + trace.err)
    report("... and it goes on", work.end())


def two_at_once():
    work = Work()
    one = Trace("uprobe:plain { @one = count(); }", pid=work.pid)
    one.armed(work)
    work.do("plain 10")
    two = Trace("uprobe:plain { @two = sum(arg0); }", pid=work.pid)
    two.armed(work, others=1)
    work.do("plain 10 2")
    out = one.end()[0]
    work.do("plain 3")
    out += two.end()[0]
    report("two ask at once", not ("@one: 30" in out and "@two: 93" in out) and
           out + one.err + two.err)
    report("... and both leave", not not_probed(work.pid))
    work.end()


def started():
    trace = Trace("uprobe:plain { @ = sum(arg0); } END { printf(\"end\\n\"); }",
                  "--", "sh", "-c", "exec true")
    out, status = trace.end(how=None)
    report("a program without the function says so", not (
        status and "no such function" in trace.err) and out + trace.err)
    trace = Trace("uprobe:libc:puts { @ = count(); }", "--", "no-such-program")
    out, status = trace.end(how=None)
    report("no such program", not (status and "no-such-program" in trace.err) and
           f"{status} {out} {trace.err}")
    run = subprocess.run([KPROBES, "trace", "-e", "uprobe:plain { @ = sum(arg0); }",
                          "--", WORK], input="plain 5\nplain 6\n", text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=PATIENCE)
    report("a new process, from its start to its end", not (
        run.returncode == 0 and "@: 25" in run.stdout) and run.stdout + run.stderr)


def shown():
    work = Work()
    trace = Trace('uprobe:plain { @[arg0 % 2] = count(); @h = hist(arg0);'
                  ' printf("%d\\n", arg0); }', "-f", "json", pid=work.pid)
    trace.armed(work)
    work.do("plain 2")
    out, _ = trace.end()
    try:
        said = [json.loads(line) for line in lines(out)]
        kinds = [one["type"] for one in said]
        good = kinds[0] == "attached_probes" and kinds.count("printf") == 2 and \
            {"type": "map", "data": {"@": {"0": 1, "1": 1}}} in said and \
            "hist" in kinds
        problem = None if good else out
    except ValueError as error:
        problem = f"{error}: {out}"
    report("as JSON", problem)
    work.end()


def fought():
    """The target writes all over the shared memory: we end, and say what we can."""
    scripts = ['uprobe:work { @[arg0 % 100] = count(); printf("%d\\n", arg0); }',
               "uprobe:work { @[ustack] = count(); @h = hist(arg0); }"
               " uretprobe:work { @s[str(retval)] = sum(retval); }"
               ' interval:ms:50 { print(@h); @i = count(); }']
    commands = [["trace", "-e", script] for script in scripts * 2]
    commands.append(["top", "-d", "0.1", "--latency", "work"])
    with tempfile.NamedTemporaryFile() as file:
        commands.append(["trace", "--perfetto", file.name, "-e",
                         "uretprobe:work { } " + scripts[0]])
        for number, command in enumerate(commands):
            fight(number, command)
        problem = None
        try:
            Timeline(file.name)
        except (ValueError, AssertionError, KeyError, IndexError,
                subprocess.SubprocessError) as error:
            problem = f"{type(error).__name__}: {error}"
        report("... and the timeline is one", problem)


def fight(number, command):
    target = subprocess.Popen([os.path.join(BUILD, "tests/trace/scribble")],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    target.stdout.readline()
    trace = subprocess.Popen([KPROBES, *command, "-v", "-p", str(target.pid)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0)
    until_set(trace, trace.stderr)
    time.sleep(1)
    trace.send_signal(signal.SIGINT)
    try:
        _, err = trace.communicate(timeout=PATIENCE)
        problem = trace.returncode < 0 and f"{trace.returncode} {err}"
    except subprocess.TimeoutExpired:
        problem = "it does not end"
        trace.kill()
        trace.communicate()
    report(f"a target that scribbles over the shared memory, {number}", problem)
    target.kill()
    target.communicate()


def listed():
    work = Work()
    run = subprocess.run([KPROBES, "trace", "-l", "uprobe:work:s*", "-p",
                          str(work.pid)], stdout=subprocess.PIPE, text=True)
    report("probes are listed, with their arguments", not (
        "uprobe:work:sized\n    long unsigned int bytes\n" in run.stdout and
        "uprobe:work:slow\n    long int us\n" in run.stdout) and run.stdout)
    work.end()


def rows(out):
    """{key: all of it} of the last table that top has shown."""
    last = out[out.rindex("PER SECOND"):]
    return {row[2]: int(row[1]) for row in
            re.findall(r"^ *(-?\d+) +(-?\d+)  +(.*)$", last, re.M)}


def topped(words, top, probes, jobs, check):
    """What is on top when these jobs are done."""
    work = Work()
    problem = None
    try:
        trace = Trace(["top", *top, "-p", str(work.pid)])
        trace.probed(work, probes)
        work.do(*jobs)
        out, status = trace.end()
        if status or not check(out):
            problem = f"status {status}: {out}{trace.err}"
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        problem = error
    work.end()
    report(words, problem)


def top():
    jobs = ["plain 300 2", "sized 7"]
    topped("top: by probe", ["-d", "60", "plain,work:sized"], 2, jobs,
           lambda out: list(rows(out).items()) ==
           [("uprobe:plain", 600), ("uprobe:work:sized", 7)])
    topped("top: by process", ["--by", "process", "work:*d", "plain"], 4, jobs,
           lambda out: list(rows(out).values()) == [607])
    topped("top: by thread", ["--by", "thread", "plain"], 1, ["plain 300", "plain 20"],
           lambda out: sorted(rows(out).values()) in ([320], [20, 300]))
    topped("top: by a key", ["--by", "arg0 % 2, comm", "plain"], 1, ["plain 5"],
           lambda out: list(rows(out).items()) == [("0, work", 3), ("1, work", 2)])
    topped("top: how long functions take", ["--latency", "slow", "plain"], 4,
           ["slow 3", "plain 1"], lambda out: re.search(
               r"^ +\d+ +3 +\d+\.\d (us|ms)  slow\n"
               r" +\d+ +1 +\d+(\.\d)? (ns|us|ms)  +plain$", out, re.M))
    topped("top: a script's own maps", ["uprobe:plain { @bytes[comm] = sum(arg0); "
           "@h = hist(arg0); }"], 1, ["plain 4"], lambda out:
           rows(out)["work"] == 6 and "[2, 4)                 2 |@" in out)
    work = Work()
    trace = Trace(["top", "-d", "0.05", "-n", "3", "plain", "-p", str(work.pid)])
    out, status = trace.end(how=None)
    report("top: so many tables, then it ends", (status or out.count("PER SECOND") != 3) and
           out + trace.err)
    trace = Trace(["top", "-d", "60", "plain", "-p", str(work.pid)])
    trace.probed(work, 1)
    work.do("plain 9")
    work.end()
    out, status = trace.end(how=None)
    report("top: when the target ends there is a last table", (
        status or rows(out) != {"uprobe:plain": 9}) and out + trace.err)
    works = [Work(), Work()]
    pids = ",".join(str(work.pid) for work in works)
    trace = Trace(["top", "--by", "process", "-d", "60", "plain", "-p", pids])
    for times, work in enumerate(works, 3):
        trace.probed(work, 1)
        work.do(f"plain {times}")
    out, status = trace.end()
    report("top: several processes", (status or list(rows(out).items()) != [
        (f"{works[1].pid}, work", 4), (f"{works[0].pid}, work", 3)]) and out + trace.err)
    for work in works:
        work.end()
    for words, message in ((["-d", "0"], "-d takes seconds"), (["-n", "x"], "-n takes"),
                           (["--by", "arg0", "--latency"], "--latency goes with"),
                           (["--by", "nonsense"], "nonsense")):
        trace = Trace(["top", "plain", *words, "--", "true"])
        out, status = trace.end(how=None)
        report(f"top: {' '.join(words)} is refused", not (
            status and message in trace.err) and f"{status} {out} {trace.err}")


def drawn(words, trace, probes, jobs, check, kill=False):
    """What the timeline of these jobs has."""
    work = Work()
    problem = None
    with tempfile.NamedTemporaryFile(suffix=".pftrace") as file:
        try:
            trace = Trace(["trace", "--perfetto", file.name, *trace, "-p", str(work.pid)])
            trace.probed(work, probes)
            work.do(*jobs)
            if kill:
                work.process.kill()
            out, status = trace.end(how=None if kill else signal.SIGINT)
            problem = status and f"status {status}: {out}{trace.err}"
            if not problem and not check(Timeline(file.name), out):
                shown = subprocess.run([sys.executable, "timeline.py", file.name],
                                       cwd=os.path.dirname(HERE), check=False, text=True,
                                       stdout=subprocess.PIPE).stdout
                problem = out + trace.err + shown
        except (RuntimeError, ValueError, AssertionError, KeyError, IndexError,
                subprocess.SubprocessError) as error:
            problem = f"{type(error).__name__}: {error}"
    if work.process.poll() is None:
        work.end()
    report(words, problem)


def calls(timeline):
    """How often which function was called how deep."""
    found = {}
    for _, name, depth, begin, end, _ in timeline.slices:
        assert begin <= end
        found[name, depth] = found.get((name, depth), 0) + 1
    return found


def timelines():
    drawn("a timeline: calls within calls, and what they returned", ["deep", "plain"], 4,
          ["deep 3", "plain 5 2"], lambda timeline, out: not timeline.still and
          calls(timeline) == {**{("deep", depth): 3 for depth in range(21)},
                              ("plain", 21): 3, ("plain", 0): 10} and
          sorted(value for _, name, depth, _, _, value in timeline.slices
                 if name == "plain" and not depth) == [0, 0, 2, 2, 4, 4, 6, 6, 8, 8] and
          set(timeline.tracks.values()) >= {"work", "script", "losses"} and
          len({on for on, *_ in timeline.slices}) == 3)
    drawn("a timeline: what is printed, and maps as counters",
          ["-e", "uprobe:plain /arg0 == 2/ { printf(\"two %s\\n\", comm); @last = arg0; }"
           " uprobe:sized { @[comm] = sum(arg0); @h = hist(arg0); } END { print(7); }"], 2,
          ["plain 4", "sized 3"], lambda timeline, out: not timeline.slices and
          [name for _, name, _ in timeline.instants] ==
          ["uprobe:plain", "two work"] + 3 * ["uprobe:sized"] + ["7"] and
          timeline.counters["@last"][-1] == 2 and "@[work]" in timeline.counters and
          "@h" not in timeline.counters and "two" not in out and "@last: 2" in out)
    drawn("a timeline: of a target that is killed", ["slow", "plain"], 4,
          ["plain 3", "slow 2"], lambda timeline, out:
          calls(timeline) == {("plain", 0): 3, ("slow", 0): 2}, kill=True)
    with tempfile.NamedTemporaryFile(suffix=".pftrace") as file:
        run = subprocess.run([KPROBES, "trace", "--perfetto", file.name, "slow",
                              "syscall:clock_nanosleep", "--", WORK], input="slow 3\n",
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=PATIENCE)
        report("a timeline: system calls, wherever they are made", (
            run.returncode or calls(Timeline(file.name)) !=
            {("slow", 0): 3, ("clock_nanosleep", 1): 3}) and run.stdout + run.stderr)
    works = [Work(), Work()]
    with tempfile.NamedTemporaryFile(suffix=".pftrace") as file:
        trace = Trace(["trace", "--perfetto", file.name, "plain", "-p",
                       ",".join(str(work.pid) for work in works)])
        for times, work in enumerate(works, 3):
            trace.probed(work, 2)
            work.do(f"plain {times}")
        out, status = trace.end()
        timeline = Timeline(file.name)
        found = sorted(collections.Counter(on for on, *_ in timeline.slices).values())
        report("a timeline of two processes", (status or found != [3, 4] or list(
            timeline.kinds.values()).count("process") != 2) and f"{found} {trace.err}")
        for work in works:
            work.end()
    work = Work()
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("keep")
        file.flush()
        for words, message in ((["-f", "json"], "-f json"), (["--folded"], "run the command twice"),
                               (["-l"], "leave out -l"), ([], "no such function")):
            trace = Trace(["trace", "--perfetto", file.name, *words, "no_such", "-p",
                           str(work.pid)])
            out, status = trace.end(how=None)
            file.seek(0)
            report(f"a timeline: {' '.join(words) or 'a wrong name'} is refused, and the "
                   "file stays", not (status and message in trace.err and
                                      file.read() == "keep") and
                   f"{status} {out} {trace.err}")
    trace = Trace(["trace", "--perfetto", "/nowhere/x", "plain", "-p", str(work.pid)])
    out, status = trace.end(how=None)
    report("a timeline: a file that cannot be written", not (
        status and "/nowhere/x" in trace.err) and f"{status} {out} {trace.err}")
    trace = Trace(["trace", "--perfetto", "/dev/full", "plain", "-p", str(work.pid)])
    trace.probed(work, 2)
    work.do("plain 3")
    out, status = trace.end()
    report("a timeline: a disk that is full", not (
        status == 1 and "/dev/full: No space" in trace.err) and
        f"{status} {out} {trace.err}")
    work.end()


def places():
    with open(os.path.join(HERE, "work.c"), encoding="utf-8") as file:
        line = [n for n, text in enumerate(file, 1)
                if "item->next ? item->next->id" in text][0]
    asked("a line of the source, and what has a name there",
          f'uprobe:work.c:{line} {{ printf("%d %s %d\\n", args.item->id, '
          'str(args.item->name), args.item->small); }}'.replace("}}", "}"),
          ["listed 3"], says("1 one -1", "2 two -2", "3 three -3"))
    asked("a probe of the program's own",
          'usdt:work:told { printf("%s %d\\n", str(arg0), arg1); }',
          ["plain 7", "sized 3"], says("plain 7", "sized 3"))
    asked("arguments by name, and structures",
          'uprobe:listed { @[args.item->next->id] = count(); }', ["listed 6"],
          has_maps({"@[2]": "2", "@[3]": "2", "@[0]": "2"}))


def wrong():
    work = Work()
    for words, script, message in (
            ("no such function", "uprobe:plian { @ = count(); }",
             "did you mean plain"),
            ("a word that is none", "uprobe:plain { @ = cuont(); }", "1:"),
            ("an end without a begin", "uprobe:plain { @ = count(); ", "1:"),
            ("nothing", "", ""),
            ("an endless loop", "uprobe:plain { while (1) { @++; } }", "1:"),
            ("no such variable", "watchpoint:nowhere:8:w { @ = count(); }",
             "no such symbol"),
            ("more than fits", "watchpoint:items:64:rw { @ = count(); }",
             "debug registers"),
            ("a kprobe in a process", "kprobe:vfs_read { @ = count(); }", "")):
        trace = Trace(script, pid=work.pid)
        out, status = trace.end(how=None)
        report(f"{words} is refused", not (status and message in trace.err) and
               f"{status} {out} {trace.err}")
    report("... and nothing is left", not not_probed(work.pid))
    work.end()


def main():
    for part in (counts, histograms, events, watched, watch_command, coded, returned, stacks, changes, begins_and_ends,
                 killed, changed, two_at_once, started, shown, fought, listed, top, timelines,
                 places, wrong):
        if len(sys.argv) < 3 or part.__name__ in sys.argv[2:]:
            part()
    sys.exit(answers.failed)


main()
