#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Everyday questions, one line or one script of samples/trace each.

Owns: what the answers have to be: of shop.cc, of redis-server and of nginx.
Prints one "ok" or "not ok" line a question.  Usage: questions.py BUILD
"""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, children_of, report, until_set
from timeline import Timeline

SAMPLES = os.path.join(HERE, "..", "..", "..", "samples", "trace")
BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
SHOP = os.path.join(BUILD, "tests", "trace", "shop")
with open(os.path.join(HERE, "shop.cc"), encoding="ascii") as source:
    LINE = next(i for i, line in enumerate(source, 1) if "py: LINE" in line)
asked = set()


def missing(out, wanted):
    """The first of these patterns that is not in the text."""
    return next((f"no {w!r} in:\n{out}" for w in wanted
                 if not re.search(w, out, re.M)), None)


def command(script, *words):
    """A sample by its name, or a script; "top" alone: it stands in the words."""
    if script == "top":
        return [KPROBES, "top", *words]
    if " " in script:
        return [KPROBES, "trace", "-e", script, *words]
    asked.add(script)
    return [KPROBES, "trace", f"{SAMPLES}/{script}.bt", *words]


def shop(words, script, params, *wanted, rounds=100):
    """Ask it of a shop that sells 2 * rounds orders from its start on."""
    run = subprocess.run([*command(script, *params), "--", SHOP, str(rounds)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=PATIENCE, check=False)
    out = (run.stdout + run.stderr).decode(errors="replace")
    problem = missing(out, wanted)
    if run.returncode:
        problem = f"status {run.returncode}: {out}"
    report(words, problem)


# ---- a C++ program with exceptions ---------------------------------------------

SOLD = "^sold 240, refused 40$"


def samples():
    shop("malloc-sizes", "malloc-sizes", [], SOLD, r"^\[64, 128\) +100 \|",
         r"^\[1K, 2K\) +100 \|", r"^\[2K, 4K\) +20 \|")
    shop("malloc-large", "malloc-large", ["2500"],
         r"shop::Desk::keep\(int\)\+\d+\n(.*\n)*\]: 60000$")
    shop("malloc-kept", "malloc-kept", [],
         r"shop::Desk::keep\(int\)\+\d+\n(.*\n)*\]: 60000$",
         r"sell\(void\*\)\+\d+\n(.*\n){1,3}\]: 0$")
    shop("object-writers", "object-writers", ["3000", "8"],
         r"^@writes\[0, \n(.*\n)*.*shop::Desk::keep\(int\)\+\d+\n(.*\n)*\]: \d+$", SOLD)
    shop("open-paths", "open-paths", [], r"^ +\d+ /dev/null$",
         r"^( +-1 /nonexistent/shop.conf\n){20}")
    shop("calls-failed", "calls-failed", [], r"^@\[__open(64)?, \n.*keep.*\n.*\n\]: 20$")
    shop("read-sizes", "read-sizes", [], r"^\[8, 16\) +200 \|")
    shop("written", "written", [], r"^3: order 99\\x0a$")
    shop("latency", "latency", ["shop::Desk::take"], SOLD, r"\) +\d+ \|@")
    shop("slow-calls", "slow-calls", ["usleep", "900"],
         r"^(usleep\(3e8\) of thread \d+ took \d+ us\n){4}")
    shop("callers", "callers", ["shop::Desk::take"],
         r"take\(Order\*\)\+0\n +sell\(void\*\)\+\d+\n(.*\n)*\]: 200$")
    shop("functions", "functions", ["shop"],
         r"^@calls\[shop::Desk::check\(Order const\*, int\)\]: 600$",
         r"^@calls\[main\]: 1$")
    shop("rates", "rates", ["usleep"], r"^\d\d:\d\d:\d\d @calls: \d{2,}$", rounds=60000)
    shop("call-graph", "call-graph", ["shop::*"],
         r"^(\d+) shop::Desk::take\(Order\*\)\n\1   shop::Desk::check.*\n"
         r"\1     shop::Desk::check.*\n\1       shop::Desk::check.*\n"
         r"\1   shop::Desk::note")
    shop("exceptions", "exceptions", [],
         r"^@\[St13runtime_error, \n +__cxa_throw.*\n +shop::Desk::check")
    shop("locks", "locks", [], r"^@ns\[.*\]: count 200, average \d+")
    shop("sleeps", "sleeps", [], r"usleep.*\n +sell\(void\*\).*\n(.*\n)*\]: \d{4,}$")
    shop("environment", "environment", [], r"^SHOP_IS_CLOSED: not there$")
    shop("threads", "threads", [],
         r"^sell\(void\*\) in a new thread\n\n +pthread_create.*\n +main\+")
    shop("fail-some", "fail-some", ["1000000"], r"^@calls: 3\d\d$", SOLD)
    shop("pretend", "pretend", ["getenv", "1"], r"^@calls: 1$")


def one_line():
    """On C++, by names as they stand in the source."""
    shop("structure fields", "uprobe:shop::Desk::take { @[str(args.order->item->name), "
         "args.order->item->id] = sum(args.order->quantity); }", [],
         r"^@\[kettle, 7\]: 400$", SOLD)
    shop("a filter by an argument", "uprobe:shop::Desk::take /args.order->quantity > 3/ "
         '{ @ = count(); }', [], "^@: 40$")
    shop("a line of the source, and its variables",
         f"uprobe:shop.cc:{LINE} {{ @ = count(); @bytes = sum(args.len); }}", [],
         "^@: 200$", "^@bytes: 1780$", SOLD)
    shop("a wildcard on C++'s names", "uprobe:*Desk::c* { @[func] = count(); }", [],
         r"^@\[shop::Desk::check\(Order const\*, int\)\]: 600$")
    shop("calls that return, not those that throw",
         "uretprobe:shop::Desk::check { @ = count(); }", [], "^@: 480$", SOLD)
    shop("exceptions through probes on all functions",
         "uprobe:shop:* { @ = count(); } uretprobe:shop::* { @back = count(); }", [],
         SOLD, r"^@: \d{4}$")
    shop("exceptions through probes within the unwinder",
         "uprobe:_Unwind_* { @ = count(); } uprobe:__cxa_* { @cxa = count(); }", [],
         SOLD, r"^@: \d+$")
    shop("what it returns, changed",
         "uprobe:shop::Desk::check { override(1); }", [], "^sold 200, refused 0$")
    shop("folded stacks", "uprobe:shop::Desk::note { @[ustack] = count(); }",
         ["--folded"],
         r"^[^ ].*;sell\(void\*\);shop::Desk::take\(Order\*\);"
         r"shop::Desk::note\(Order const\*\) 200$")
    listed()
    thrown()
    no_stacks()
    with tempfile.TemporaryDirectory() as folder:
        shop("a picture of stacks", "uprobe:malloc { @[ustack] = count(); }",
             ["--flame", f"{folder}/x.svg"], SOLD)
        try:
            text = "".join(xml.etree.ElementTree.parse(f"{folder}/x.svg").getroot()
                           .itertext())
            report("... with the names of its functions",
                   missing(text, [r"sell\(void\*\) \(300,", r"take\(Order\*\) \(100,"]))
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            report("... with the names of its functions", error)


def thrown():
    """Calls that exceptions leave end, too."""
    with tempfile.NamedTemporaryFile() as file:
        shop("a timeline with exceptions", "uprobe:shop::Desk::take,"
             "uretprobe:shop::Desk::take,uprobe:shop::Desk::check,"
             "uretprobe:shop::Desk::check { }", ["--perfetto", file.name], SOLD)
        timeline = Timeline(file.name)
        found = [(name.split("(")[0], depth) for _, name, depth, *_ in timeline.slices]
        check = "shop::Desk::check"
        report("... whose slices all have an end", (
            found.count(("shop::Desk::take", 0)) != 200 or timeline.still or
            [found.count((check, depth)) for depth in range(1, 4)] != 3 * [200] or
            len(found) != 800) and f"{set(found)} {timeline.still}")


def listed():
    """The linker's name, which may be used, and the source's."""
    run = subprocess.run([KPROBES, "trace", "-l", "uprobe:shop::Desk::ta*", "--", SHOP],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=PATIENCE, check=False)
    report("functions and their arguments, listed", missing(
        run.stdout.decode(), [r"^uprobe:_ZN4shop4Desk4takeEP5Order  // "
                              r"shop::Desk::take\(Order\*\)\n"
                              r"    struct Desk \*this\n    struct Order \*order$"]))


def no_stacks():
    """A picture of nothing is refused, and the file that is there stays."""
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("keep")
        file.flush()
        run = subprocess.run(command("BEGIN { @ = count(); }", "--flame", file.name),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=PATIENCE, check=False)
        out = run.stdout.decode()
        file.seek(0)
        report("a picture without stacks is refused", missing(out, ["the script has none"])
               or (run.returncode != 2 or file.read() != "keep") and out)


# ---- servers ---------------------------------------------------------------------

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what):
    end = time.time() + PATIENCE
    while time.time() < end:
        try:
            found = what()
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.05)
    raise RuntimeError("waited in vain")


def is_probed(pid):
    run = subprocess.run([KPROBES, "list", "-p", str(pid)], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return run.stdout.count(b"\n")


def server(words, pid, work, script, params, *wanted, whom=None):
    """Ask it of a server while work() has it do something."""
    problem = None
    run = subprocess.Popen([*command(script, *params), "-v",
                            *(whom or ["-p", str(pid)])],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
    try:
        out = until_set(run, run.stdout)
        work()
        run.send_signal(signal.SIGINT)
        out = (out + run.communicate(timeout=PATIENCE)[0]).decode(errors="replace")
        problem = missing(out, wanted)
        if run.returncode:
            problem = f"status {run.returncode}: {out}"
        wait_for(lambda: not is_probed(pid))
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        problem = error
        run.kill()
    report(words, problem)


def redis(folder):
    found = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    program = shutil.copy(os.path.realpath(found), f"{folder}/redis-server")
    port = str(free_port())

    def say(*commands):
        return subprocess.run(["redis-cli", "-p", port], check=True, timeout=PATIENCE,
                              stdout=subprocess.PIPE, text=True,
                              input="".join(f"{command}\n" for command in commands)).stdout

    def work():
        say(*[command for i in range(20)
              for command in (f"set key{i % 2} xxxxxxxxxx", "get key0")], "save")

    with subprocess.Popen([program, "--port", port, "--bind", "127.0.0.1", "--dir",
                           folder], stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: socket.create_connection(("127.0.0.1", int(port)), 1))
            pid = process.pid
            server("redis: latency of a command by key", pid, work, "redis-latency", [],
                   r"^@us\[key0\]: \n(\[.*\n)+", r"^@us\[key1\]: \n(\[.*\n)+")
            server("redis: sizes of malloc", pid, work, "malloc-sizes", [],
                   r"^\[.*\) +\d+ \|@")
            server("redis: files that it opens", pid, work, "open-paths", [],
                   r"^ +\d+ temp-\d+\.rdb$")
            server("redis: all commands, by a wildcard", pid, work,
                   "uprobe:redis-server:*etCommand { @[func] = count(); }", [],
                   r"^@\[setCommand\]: 20$", r"^@\[getCommand\]: 20$")
            server("redis: what it does most, live", pid, work, "top",
                   ["-d", "60", "--latency", "redis-server:*etCommand"],
                   r"^ +\d+ +20 +\d+(\.\d)? [num]?s +setCommand$",
                   r"^ +\d+ +20 +\d+(\.\d)? [num]?s +getCommand$")
            with tempfile.NamedTemporaryFile() as file:
                server("redis: what its threads do, for Perfetto", pid, work,
                       "uprobe:*etCommand,uprobe:call,uretprobe:*etCommand,"
                       "uretprobe:call { @calls[func] = count(); }",
                       ["--perfetto", file.name], r"^@calls\[setCommand\]: 40$")
                timeline = Timeline(file.name)
                found = [(name, depth) for _, name, depth, *_ in timeline.slices]
                report("... slices within slices, and counters", (
                    found.count(("setCommand", 1)) != 20 or timeline.still or
                    timeline.counters["@calls[setCommand]"][-1] != 40) and
                    f"{found} {timeline.counters}")
            server("redis: folded stacks", pid, work,
                   "uprobe:setCommand { @[ustack] = count(); }", ["--folded"],
                   r";call;setCommand 20$")
            server("redis: a command that is not executed", pid,
                   lambda: say("set key9 x"),
                   "uprobe:setKey { override(0); }", [], "^Attached")
            report("... and was not", missing(say("get key9"), [r"^\n"]))
        finally:
            process.kill()


@contextlib.contextmanager
def nginx_at_work(folder, mode, site):
    """What asks it for a page so often, and the process."""
    port = free_port()
    os.chmod(folder, 0o755)
    with open(f"{folder}/conf", "w", encoding="ascii") as out:
        out.write(f"daemon off; {mode}; pid {folder}/pid;\n"
                  "events { }\n"
                  f"http {{ access_log off; server {{ {site.replace('PORT', str(port))} }} }}\n")

    def work(times):
        for _ in range(times):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/page") as answer:
                assert answer.read() == b"page"

    with subprocess.Popen(["nginx", "-c", f"{folder}/conf", "-e",
                           f"{folder}/error"]) as process:
        try:
            wait_for(lambda: socket.create_connection(("127.0.0.1", port), 1))
            yield work, process.pid
        finally:
            process.terminate()


def nginx(folder):
    with open(f"{folder}/page", "w", encoding="ascii") as out:
        out.write("page")
    with nginx_at_work(folder, "master_process off",
                       f"listen 127.0.0.1:PORT; root {folder};") as (ask, pid):
        def work():
            ask(20)

        server("nginx: how long requests take", pid, work, "nginx-requests", [],
               r"^@us: \n(\[.*\n)+")
        server("nginx: files that it opens", pid, work, "open-paths", [],
               rf"^( +\d+ {re.escape(folder)}/page\n){{20}}")
        server("nginx: who answers", pid, work,
               "uprobe:ngx_http_send_header { @[ustack] = count(); }", ["--folded"],
               r";ngx_http_static_handler.*;ngx_http_send_header 20$|"
               r"ngx_http_send_header 20$")


def container(folder):
    """nginx with workers, as in a container: each of them answers."""
    group = f"{folder}/groups/system.slice/docker-{'0a1b2c3d' * 8}.scope"
    os.makedirs(group)
    with nginx_at_work(folder, "worker_processes 2", "listen 127.0.0.1:PORT reuseport;"
                       ' return 200 "page";') as (ask, pid):
        children = wait_for(lambda: len(children_of(pid)) == 2 and children_of(pid))
        with open(f"{group}/cgroup.procs", "w", encoding="ascii") as out:
            out.write("".join(f"{one}\n" for one in (pid, *children)))
        os.environ["KPROBES_CGROUP_DIR"] = f"{folder}/groups"
        server("a container: which of its processes answer", children[-1], lambda: ask(40),
               "uprobe:ngx_http_send_header { @all = count(); @[pid, comm] = count(); }",
               [], "^@all: 40$", *(rf"^@\[{child}, nginx\]: \d+$" for child in children),
               whom=["--container", "0a1b2c3d"])


def main():
    samples()
    one_line()
    for program, ask in (("redis-cli", redis), ("nginx", nginx),
                         ("nginx", container)):
        if not shutil.which(program):
            print(f"ok trace: {program} # SKIP it is not installed", flush=True)
            asked.add({"redis-cli": "redis-latency", "nginx": "nginx-requests"}[program])
            continue
        with tempfile.TemporaryDirectory() as folder:
            ask(folder)
    # Those for a kernel are tried in one: tests/kernel/cases/46-asking.sh.
    left = {name[:-3] for name in os.listdir(SAMPLES) if not name.startswith("kernel-")} - asked
    report("every sample was tried", left and f"not these: {sorted(left)}")
    sys.exit(answers.failed)


main()
