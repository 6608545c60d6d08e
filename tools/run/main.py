#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""make run: the engine at work in a real program and in real kernels.

Owns the order of the steps. Installs the Debian packages that are missing,
builds, and shows one probe module, samples/hotspots.c, in a process (process.py)
and in kernels (kernel.py). Logs lie in build/run. Exit status 0 when every step
succeeded; all that was started has ended then, and after Ctrl-C too.
"""

import argparse
import os
import signal
import sys
import time

import kernel
import process
import steps
from steps import Failed, out, step

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def interrupted(*_):
    raise KeyboardInterrupt


def show(build):
    work = os.path.join(build, "run")
    os.makedirs(work, exist_ok=True)
    with step("install what is missing of redis, QEMU and compilers"):
        steps.call_aloud(["tools/deps.sh", "run", "vm"])
    with step("build the engine for processes"):
        steps.make(build, f"{work}/build.log", "run-process")
    process.show(build, work)
    kernel.show(build, work)


def main():
    parser = argparse.ArgumentParser(description="Show the engine at work.")
    parser.add_argument("--build", default="build", help="the build directory (build)")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, interrupted)
    started = time.monotonic()
    try:
        show(os.path.abspath(arguments.build))
    except Failed as failure:
        out(f"{steps.paint('31', 'run failed:')} {failure}")
        return 1
    except KeyboardInterrupt:
        out("run: interrupted")
        return 130
    finally:
        steps.stop_all()
    out(f"{steps.paint('1', 'run:')} all done, {time.monotonic() - started:.0f} s; logs are in "
        f"{os.path.relpath(arguments.build)}/run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
