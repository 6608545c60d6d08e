# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Owns the progress lines of `make run`, and the programs that it starts.

Every program gets a session of its own, so that stopping it stops all that it
started; stop_all() leaves none behind.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ
TAIL = 15

running = []


class Failed(Exception):
    """What went wrong, in words for the user."""


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOURS else text


def out(text="", end="\n"):
    print(text, end=end, flush=True)


@contextlib.contextmanager
def step(words):
    """One line: what is done, and how long it took."""
    started = time.monotonic()
    out(f"{paint('1', 'run:')} {words} ... ", end="")
    result = Result()
    try:
        yield result
    except BaseException as error:
        out(paint("31", "stopped" if isinstance(error, KeyboardInterrupt) else "failed"))
        raise
    seconds = time.monotonic() - started
    out(f"{result.words or paint('32', 'done')}, {seconds:.1f} s")


class Result:
    words = ""


def start(command, **options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    running.append(process)
    return process


def finish(process, timeout):
    """Waits; the program is stopped when it takes longer."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"{process.args[0]} did not end within {timeout} s") from None
    finally:
        stop(process)


def stop(process, grace=10):
    """Ends a program and all that it started."""
    if process not in running:
        return
    if process.poll() is None:
        signal_session(process, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    signal_session(process, signal.SIGKILL)
    process.wait()
    running.remove(process)


def signal_session(process, number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def stop_all():
    while running:
        stop(running[-1])


def call(command, log, timeout=600, **options):
    """Runs a program with its output in a file, and returns that."""
    with open(log, "wb") as file:
        process = start(command, stdout=file, stderr=subprocess.STDOUT, **options)
        status = finish(process, timeout)
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if status:
        tail = "\n".join("  | " + line for line in text.splitlines()[-TAIL:])
        raise Failed(f"{' '.join(command[:4])} ended with status {status}; see {log}\n{tail}")
    return text


def make(build, log, *arguments):
    call(["make", "-s", f"-j{os.cpu_count()}", f"B={build}", *arguments], log)


def call_aloud(command, timeout=3600):
    """Runs a program that tells on standard error what it does; returns its output."""
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []
    for line in process.stderr:
        if not said:
            out()
        said.append(line)
        out("     " + line.rstrip())
    text = process.stdout.read()
    if finish(process, timeout):
        raise Failed(f"{' '.join(command)} failed" + ("" if said else ", saying nothing"))
    return text.strip()
