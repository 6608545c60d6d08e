#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""System calls of a process, at its own instructions: each is seen, none twice.

Owns: questions to tests/trace/process/calls.c, which makes calls in all shapes; the
answers follow from its source.  The same by the names of the kernel's tracepoints,
which a process answers where no kernel can be asked.
Prints one "ok" or "not ok" line a test.  Usage: calls.py BUILD
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
CALLS = os.path.join(BUILD, "tests", "trace", "calls")


def maps(text):
    return dict(re.findall(r"^(@\w*(?:\[.*?\])?): (.*)$", text, re.M))


def asked(words, script, wanted, absent=()):
    """wanted: maps that have to be there, as they are; absent: those that must not."""
    run = subprocess.run([KPROBES, "trace", "-e", script, "--", CALLS], input="x",
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE, check=False)
    found = maps(run.stdout)
    good = not run.returncode and all(found.get(name) == value
                                      for name, value in wanted.items())
    good &= not [name for name in found if name.startswith(tuple(absent))]
    report(words, not good and f"wanted {wanted}\n{run.stdout}{run.stderr}")


def one_by_one():
    asked("a call's arguments, in all threads",
          "syscall:openat /str(args.filename) == \"/dev/null\"/ { @n = count(); "
          "@[args.dfd, arg0 == args.dfd] = count(); }",
          {"@n": "200", "@[-100, true]": "200"})
    asked("what it returns",
          "sysret:openat { @[retval < 0, args.ret == retval] = count(); @e[strerror(retval)] = count(); }",
          {"@[true, true]": "200", "@e[No such file or directory]": "200"})
    asked("six arguments", "syscall:mmap /args.len == 12345/ { @[args.prot, args.flags, "
          "(int32)args.fd, arg5] = count(); }", {"@[1, 34, -1, 0]": "10"})
    asked("by number, and one number of two",
          "syscall:getpriority { @[probe] = count(); @who[args.who] = count(); } "
          "sysret:getpriority { @r[retval] = count(); } syscall:getpgid { @g = count(); } "
          "sysret:getpgid { @g[0] = count(); }".replace("@g[0]", "@gr"),
          {"@[syscall:getpriority]": "40", "@who[999999]": "40", "@r[-3]": "40",
           "@g": "20", "@gr": "20"})
    asked("a number that a loop keeps", "syscall:geteuid { @ = count(); } "
          "sysret:geteuid { @r = count(); }", {"@": "60", "@r": "60"})
    asked("those that the engine watches itself",
          "syscall:execve { @e[str(args.filename)] = count(); } sysret:execve { @er[retval] = count(); } "
          "syscall:ppoll { @p = count(); } sysret:ppoll { @pr[retval] = count(); } "
          "syscall:rt_sigprocmask /args.sigsetsize == 8 && *(uint64 *)args.nset == 0x400000/ { @m = count(); }",
          {"@e[/no/such/program]": "20", "@er[-2]": "20", "@p": "20", "@pr[0]": "20", "@m": "7"})
    asked("interrupted ones return once",
          "sysret:clock_nanosleep { @[retval] = count(); } sysret:getppid { @p = count(); } "
          "syscall:getppid { @q = count(); }",
          {"@[-4]": "5", "@p": "5", "@q": "5"}, absent=("@[0]",))
    asked("children", "syscall:vfork { @v = count(); } syscall:clone { @c = count(); } "
          "syscall:wait4 { @w = count(); } sysret:wait4 { @r[retval > 0] = count(); }",
          {"@v": "4", "@c": "3", "@w": "7", "@r[true]": "7"})


def several():
    asked("wildcards", "syscall:getp[gr]i* { @[probe, args.__syscall_nr] = count(); }",
          {"@[syscall:getpriority, 140]": "40", "@[syscall:getpgid, 121]": "20"})
    asked("all of them", "syscall:* { @ = count(); @by[args.__syscall_nr] = count(); }",
          {"@by[257]": "400", "@by[140]": "40", "@by[121]": "20", "@by[107]": "60"})
    asked("the kernel's tracepoints, where a process has to answer",
          "tracepoint:syscalls:sys_enter_openat { @[str(args.filename)] = count(); } "
          "tracepoint:syscalls:sys_exit_openat { @r[args.ret] = count(); } "
          "tracepoint:raw_syscalls:sys_enter { @n[args.id] = count(); @who[args.id, args.args[1]] = count(); } "
          "tracepoint:raw_syscalls:sys_exit { @nr[args.id] = count(); }",
          {"@[/no/such/file]": "200", "@r[-2]": "200", "@n[140]": "40", "@n[121]": "20",
           "@nr[140]": "40", "@nr[121]": "20", "@who[140, 999999]": "40"})


def listed():
    run = subprocess.run([KPROBES, "trace", "-l", "syscall:open*", "-p", str(os.getpid())],
                         stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    lines = [" ".join(line.split()) for line in run.stdout.splitlines()]
    report("they are listed once, with arguments",
           (lines.count("syscall:openat") != 1 or "char *filename" not in lines) and run.stdout)


def refused():
    for words, script, message in (
            ("a call that nobody makes", "syscall:opnat { @ = count(); }", "no such system call|such a system call"),
            ("leaving a call out", "syscall:openat { override(0); }", "override"),
            ("arguments at its end", "sysret:openat { print(arg0); }", "returns"),
            ("one argument too many", "syscall:close { print(arg1); }", "1 arguments")):
        run = subprocess.run([KPROBES, "trace", "-e", script, "--", "/bin/true"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             timeout=PATIENCE, check=False)
        report(f"{words} is refused", (not run.returncode or not re.search(message, run.stderr))
               and run.stdout + run.stderr)


def main():
    for part in (one_by_one, several, listed, refused):
        part()
    sys.exit(answers.failed)


main()
