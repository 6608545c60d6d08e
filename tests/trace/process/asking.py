# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A target that does what it is told, and the command at work on it.

Owns: both, one question to one target, and when something is there: a test waits for
that, not for a time.
"""
import os
import re
import signal
import subprocess
import sys
import time

import answers
from answers import PATIENCE, children_of, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
WORK = os.path.join(BUILD, "tests", "trace", "work")


class Work:
    """A target: told what to do, it answers when that is done."""

    def __init__(self, program=WORK):
        if isinstance(program, str):
            program = [program]
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def do(self, *jobs):
        for job in jobs:
            self.process.stdin.write(job + "\n")
            self.process.stdin.flush()
            if not self.process.stdout.readline().startswith("done"):
                raise RuntimeError(f"the target ended at {job}")

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


class Trace:
    """The command at work.  what: trace's script, or another command's words."""

    def __init__(self, what, *words, pid=None, params=(), env=None):
        if isinstance(what, list):
            command = [KPROBES, *what]
        else:
            self.blocks = len(re.findall(r"\b(BEGIN|END|interval:)", what))
            command = [KPROBES, "trace", "-e", what, *params, *words]
        if pid:
            command += ["-p", str(pid)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0,
                                        env={**os.environ, **(env or {})})
        os.set_blocking(self.process.stdout.fileno(), False)
        self.out = self.err = ""

    def wait_for(self, text):
        end = time.time() + PATIENCE
        while text not in self.out:
            if time.time() > end or (self.process.poll() is not None and
                                     not self.take()):
                raise RuntimeError(f"no {text!r} in {self.out!r}")
            self.take()
            time.sleep(0.01)

    def take(self):
        more = self.process.stdout.read() or b""
        self.out += more.decode(errors="replace")
        return more

    def end(self, how=signal.SIGINT):
        """All that it has printed, and its status."""
        if how:
            self.process.send_signal(how)
        os.set_blocking(self.process.stdout.fileno(), True)
        out, err = self.process.communicate(timeout=PATIENCE)
        self.out += out.decode(errors="replace")
        self.err = err.decode(errors="replace")
        return self.out, self.process.returncode

    def errors_until(self, text):
        """Those up to one that says this; all of them when none does."""
        return answers.until_says(self.process, self.process.stderr, text).decode()

    def kill(self, who):
        """The face, which was started, or its controller."""
        pid = self.process.pid
        os.kill(pid if who == "face" else children_of(pid)[0], signal.SIGKILL)

    def armed(self, work, others=0):
        """Wait until all its probes are in the target, beside others'."""
        self.wait_for("probe")
        self.wait_for("\n")
        self.probed(work, others + int(re.search(r"\d+", self.out)[0]) - self.blocks)

    def probed(self, work, wanted):
        end = time.time() + PATIENCE
        while time.time() < end:
            run = subprocess.run([KPROBES, "list", "-p", str(work.pid)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
            if len(run.stdout.splitlines()) >= wanted:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.process.kill()
        out, status = self.end(how=None)
        raise RuntimeError(f"no probe came: {run.stderr} {status} {out} {self.err}")


def asked(words, script, jobs, check, params=(), program=WORK):
    """One question to one target, and what the answer has to be."""
    work = Work(program)
    problem = None
    try:
        trace = Trace(script, pid=work.pid, params=params)
        trace.armed(work)
        work.do(*jobs)
        out, status = trace.end()
        if status:
            problem = f"status {status}: {out}{trace.err}"
        elif not check(out):
            problem = out + trace.err
        if work.end():
            problem = f"{problem or ''} the target ended badly"
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        problem = error
        work.process.kill()
    report(words, problem)


def maps(text):
    """{"@x[1]": "5"} of lines like that."""
    return dict(re.findall(r"^(@\w*(?:\[.*?\])?): (.*)$", text, re.M))


def not_probed(pid):
    run = subprocess.run([KPROBES, "list", "-p", str(pid)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    return "is not probed" in run.stderr
