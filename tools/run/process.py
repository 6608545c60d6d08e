# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Owns the process part of `make run`: Debian's redis-server under load.

The server runs twice on the loopback address, first alone and then with
libkprobes.so preloaded and the probe module watching its own functions, library
functions and instructions inside functions. Both times it gets the same load
and answers the same questions.
"""

import contextlib
import csv
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import report
import steps
from steps import Failed, out, step

REQUESTS = 20000  # of each kind
ROUNDS = 3
CLIENTS = 20
LIFETIME = 240  # seconds; a server never lives longer

# An offset inside an instruction moves on to the next one.
PROBES = (
    "processCommand", "processCommand+0x80", "call", "call+0x40", "lookupKey", "setGenericCommand",
    "addReply", "readQueryFromClient+0x20",
    "libc:read", "libc:write+0x4", "libc:epoll_wait", "libc:epoll_ctl+0x4", "libc:accept4", "libjemalloc:malloc",
)

# Commands whose answers depend on nothing but the commands.
QUESTIONS = """\
set greeting hello
append greeting ", world"
get greeting
incrby counter 41
incr counter
rpush list 3 1 2
sort list
lrange list 0 -1
hset hash a 1 b 2
hget hash b
zadd scores 3 c 1 a 2 b
zrange scores 0 -1 withscores
setrange bits 3 x
strlen bits
get nowhere
lpop greeting
"""


def copy_of_server(work):
    """redis-tools has the server too, under another name, and starts no service."""
    found = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    if not found:
        raise Failed("redis-server is not installed: apt install redis-tools")
    return shutil.copy(os.path.realpath(found), f"{work}/redis-server")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, text):
    result = subprocess.run(["redis-cli", "-h", "127.0.0.1", "-p", str(port)], input=text,
                            stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    return result.stdout


def wait_until_ready(server, port, log):
    until = time.monotonic() + 30
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError), \
             socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"PING\r\n")
            if connection.recv(16).startswith(b"+PONG"):
                return
        time.sleep(0.05)
    with open(log, encoding="utf-8", errors="replace") as file:
        last = "".join(file.readlines()[-5:])
    raise Failed(f"redis-server does not answer; see {log}\n{last}")


@contextlib.contextmanager
def server_running(work, name, environment):
    """Yields the port; at the end the server shuts down in its own way."""
    port, log = free_port(), f"{work}/{name}.log"
    settings = {"port": port, "bind": "127.0.0.1", "save": "", "appendonly": "no",
                "daemonize": "no", "dir": work, "loglevel": "notice"}
    command = ["timeout", "--kill-after=10", str(LIFETIME),
               "env", *(f"{key}={value}" for key, value in environment.items()),
               f"{work}/redis-server",
               *(word for key, value in settings.items() for word in (f"--{key}", str(value)))]
    with open(log, "wb") as file:
        server = steps.start(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        wait_until_ready(server, port, log)
        yield port
        server.send_signal(signal.SIGTERM)
        status = steps.finish(server, 60)
        if status:
            raise Failed(f"redis-server ended with status {status}; see {log}")
    finally:
        steps.stop(server)


def load(port, work, name):
    """Requests a second, over all of them: the best of some rounds."""
    return max(one_round(port, work, name) for _ in range(ROUNDS))


def one_round(port, work, name):
    text = steps.call(["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-n", str(REQUESTS),
                       "-c", str(CLIENTS), "-t", "set,get", "--csv"],
                      f"{work}/{name}-load.log", timeout=LIFETIME - 60)
    rates = [float(row[1]) for row in csv.reader(text.splitlines()) if row and row[0] in ("SET", "GET")]
    if len(rates) != 2 or not all(rates):
        raise Failed(f"redis-benchmark printed no rates; see {work}/{name}-load.log")
    return len(rates) / sum(1 / rate for rate in rates)


def commands_processed(port):
    """As the server counts them; this question is not among them yet."""
    return int(re.search(r"total_commands_processed:(\d+)", ask(port, "info stats\n"))[1])


def probed_environment(build, work):
    log = f"{work}/process-report.log"
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    return log, {
        "LD_PRELOAD": f"{build}/libkprobes.so",
        "KPROBES_LOAD": f"{work}/hotspots.so probes={','.join(PROBES)}",
        "KPROBES_LOG": log,
    }


def show(build, work):
    copy_of_server(work)
    with step(f"redis-server alone, {ROUNDS} times {2 * REQUESTS} requests") as result:
        with server_running(work, "process-alone", {}) as port:
            rate = load(port, work, "process-alone")
            answers = ask(port, QUESTIONS)
        result.words = f"{rate:.0f} requests/s"

    log, environment = probed_environment(build, work)
    with step(f"redis-server with {len(PROBES)} probes, the same requests") as result:
        with server_running(work, "process-probed", environment) as port:
            probed_rate = load(port, work, "process-probed")
            same = ask(port, QUESTIONS) == answers
            processed = commands_processed(port)
        result.words = f"{probed_rate:.0f} requests/s"

    with open(log, encoding="utf-8") as file:
        lines = report.read(file.read())
    report.show(lines)
    counts = report.check(lines)
    if not same:
        raise Failed("the server's answers differ with probes")
    # INFO itself comes on top.
    if counts["call", 0] != processed + 1:
        raise Failed(f"call was hit {counts['call', 0]} times in {processed + 1} commands")
    hits = sum(counts.values()) / processed
    cost = (1 / probed_rate - 1 / rate) * 1e9 / hits
    words = f"{cost:.0f} ns a hit" if cost > 0 else "a hit costs less than the runs differ"
    out(f"  answers: the same with and without probes; redis counted {processed + 1} commands, "
        "and so did the probe on call()")
    out(f"  speed: {rate:.0f} requests/s alone, {probed_rate:.0f} with probes: "
        f"ratio {probed_rate / rate:.2f}; {hits:.1f} hits a request, {words}")
