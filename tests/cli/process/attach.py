# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes load and unload on running processes of all kinds.

Owns: that they are probed, are never disturbed, and are as before at the end.
"""
import json
import os
import re
import subprocess
import sys
import time

from common import (COUNTER, KPROBES, Victim, compile_all, descriptors_of,
                    difference, end, expect, kprobes, report, said, soon,
                    state_of, threads_of)


def patiently(*words):
    """Who makes no calls may be in a handler whenever it is looked at: then again, as is said."""
    for _ in range(5):
        run = kprobes(*words)
        if "no thread came to a system call" not in run.stderr:
            break
    return run


def whole_round(name, *kinds, masks=False, command=kprobes, **options):
    with Victim(*kinds, **options) as victim:
        before = state_of(victim.pid, masks)
        expect(f"{name}: load", 0, "load", COUNTER, "-p", victim.pid, command=command)
        run = expect(f"{name}: list", 0, "list", "-p", victim.pid,
                     says=r"k  victim_target\+0x0  ", command=command)
        expect(f"{name}: unload", 0, "unload", "counter.so", "-p", victim.pid, command=command)
        report(f"{name}: as before", difference(before,
                                                state_of(victim.pid, masks)))
        report(f"{name}: undisturbed", victim.finish())
        return run


def many_rounds(name, rounds, *kinds, **options):
    with Victim(*kinds, **options) as victim:
        before = state_of(victim.pid)
        problem = ""
        for i in range(rounds):
            for words in (("load", COUNTER, f"post={'ny'[i % 2]}"),
                          ("unload", "-a")):
                run = kprobes(*words, "-p", victim.pid)
                if run.returncode:
                    problem += f"round {i}, {words[0]}: {said(run)}"
        report(f"{name}: {rounds} times in and out", problem)
        report(f"{name}: as before", difference(before, state_of(victim.pid)))
        report(f"{name}: undisturbed", victim.finish())


def control():
    with Victim("busy") as victim:
        pid = victim.pid
        kprobes("load", COUNTER, "-p", pid)
        expect("loaded twice is refused", 1, "load", COUNTER, "-p", pid,
               says="loaded already")
        expect("disable by symbol", 0, "disable", "victim_target", "-p", pid)
        expect("... is listed", 0, "list", "-p", pid, says=r"victim_target\+0x0 .*\[DISABLED\]")
        expect("enable by symbol+offset", 0, "enable", "victim_target+0x0",
               "-p", pid)
        run = kprobes("list", "-p", pid)
        address = "0x" + run.stdout.split()[0]
        expect("disable by address", 0, "disable", address, "-p", pid)
        expect("enable by address", 0, "enable", address, "-p", pid)
        expect("no probe there", 3, "disable", "malloc", "-p", pid,
               says="no probe at malloc")
        expect("no place", 3, "disable", "0xzz", "-p", pid,
               says="no probe at 0xzz")
        expect("enabled", 0, "enabled", "-p", pid, says=r"^1$")
        expect("enabled 0", 0, "enabled", "0", "-p", pid)
        expect("... is 0", 0, "enabled", "-p", pid, says=r"^0$")
        expect("enabled on", 0, "enabled", "on", "-p", pid)
        expect("enabled 2 is wrong", 2, "enabled", "2", "-p", pid,
               says="0 or 1")
        expect("optimization", 0, "optimization", "-p", pid, says=r"^[01]$")
        expect("optimization 0", 0, "optimization", "0", "-p", pid)
        expect("... is 0", 0, "optimization", "-p", pid, says=r"^0$")
        expect("optimization 2 is wrong", 2, "optimization", "2", "-p", pid)
        expect("optimization y", 0, "optimization", "y", "-p", pid)
        run = expect("blacklist", 0, "blacklist", "-p", pid,
                     says=r"^0x[0-9a-f]{16}-0x[0-9a-f]{16}\t\S+\n")
        run = expect("list as JSON", 0, "list", "--json", "-p", pid)
        entry = json.loads(run.stdout)[0]
        report("... says what the lines say",
               entry["pid"] != pid or
               entry["probes"][0]["symbol"] != "victim_target" or
               entry["probes"][0]["address"] != address)
        expect("unload what is not there", 3, "unload", "nosuch.so", "-p", pid,
               says="no probe module")
        expect("unload by path", 0, "unload", COUNTER, "-p", pid)
        expect("then it is not probed", 3, "list", "-p", pid,
               says="not probed")
        report("control: undisturbed", victim.finish())


def everywhere():
    """A list of all processes: where that is allowed, of ours alone.  Others' may
    be probed, and not answer."""
    apart = ("unshare", "--kill-child", "-pf", "--mount-proc")
    alone = not subprocess.run([*apart, "true"], capture_output=True,
                               check=False).returncode
    with Victim("busy", before=apart if alone else (), child=alone) as victim:
        within = (["nsenter", "-t", str(victim.pid), "-p", "-m"] if alone
                  else [])
        kprobes("load", COUNTER, "-p", victim.pid)
        run = kprobes("list", program=[*within, KPROBES])
        pid = 1 if alone else victim.pid
        found = re.search(rf"^process {pid} \(victim\):\n"
                          r"[0-9a-f]{16}  k  victim_target\+0x0", run.stdout,
                          re.M)
        report("list without a process finds it", not found and
               (alone or f"process {pid} is passed over" not in run.stderr) and
               said(run))
        kprobes("unload", "-a", "-p", victim.pid)
        report("... and it is undisturbed", victim.finish())


def idle():
    with Victim() as victim:
        before = threads_of(victim.pid), descriptors_of(victim.pid)
        kprobes("load", COUNTER, "-p", victim.pid)

        def now():
            return threads_of(victim.pid), descriptors_of(victim.pid)

        # Its thread ends when it sees that we are gone.
        report("no thread and no descriptor of ours while nobody is connected",
               not soon(lambda: now() == before) and f"{before} {now()}")
        report("idle: undisturbed", victim.finish())


def command():
    run = kprobes("load", COUNTER, "symbol=opendir", "--", "ls", "/")
    report("load -- COMMAND", run.returncode or "proc" not in run.stdout)
    expect("load -- a command that is not there", 3, "load", COUNTER, "--",
           "/nonexistent/x", says="/nonexistent/x")


compile_all()
if sys.argv[1:]:
    whole_round(" ".join(sys.argv[1:]), *sys.argv[1:], masks=True)
    end()
whole_round("sleeping", masks=True)
whole_round("busy", "busy", "busy", masks=True)
whole_round("not PIE", "busy", "sleeps", program="victim-fixed", masks=True)
whole_round("waiting in every way", "sleeps", masks=True)
whole_round("signals blocked", "blocked", "masks")
whole_round("handlers with full masks", "handler", "busy")
whole_round("only computing", "alone", command=patiently)
whole_round("all registers are in use, checks and exceptions on", "units")
whole_round("the user is set all the time", "users", "busy")
whole_round("threads come and go", "churn", "busy", "masks")
control()
everywhere()
idle()
command()
many_rounds("under load", int(os.environ.get("KPROBES_ROUNDS", 20)), "busy",
            "busy", "masks", "blocked", "sleeps", "churn", "handler")
end()
