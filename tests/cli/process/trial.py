# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Probe modules that are damaged, or that harm the process they are in.

Owns: that the target never pays for one: it is refused before anything is done
to the process, and what is tried for that changes no file; and that no good
shared object is taken for a damaged one.
"""
import os
import random
import resource
import struct
import subprocess
import tempfile

from common import (BUILD, COUNTER, OUT, ROOT, Victim, compile_all, compile_one,
                    difference, end, expect, kprobes, read, report, said,
                    state_of)

HARMFUL = os.path.join(OUT, "harmful.so")
SOUND = os.path.join(OUT, "sound")
INCLUDES = (f"-I{ROOT}/include", f"-I{ROOT}/host/linux-user/include",
            f"-I{ROOT}/arch/x86/include", f"-L{BUILD}", "-lkprobes")
# Each damages one kind of structure, at random.
ROUNDS = int(os.environ.get("KPROBES_DAMAGES", 60))


def good():
    """Everything that is installed here is accepted."""
    files = []
    for where, _, names in os.walk("/usr/lib"):
        files += [os.path.join(where, name) for name in names
                  if ".so" in name]
    files.sort()
    random.Random(1).shuffle(files)
    files = files[:800] + [HARMFUL, COUNTER,
                           os.path.join(BUILD, "libkprobes.so")]
    out = subprocess.run([SOUND, *files], stdout=subprocess.PIPE, check=True,
                         text=True).stdout
    report(f"shared objects that are installed are sound ({len(files)})", out)


def places(data):
    """Ranges of the file that each hold one kind of structure."""
    phoff, = struct.unpack_from("<Q", data, 0x20)
    count, = struct.unpack_from("<H", data, 0x38)
    shoff, = struct.unpack_from("<Q", data, 0x28)
    sections, = struct.unpack_from("<H", data, 0x3c)
    found = [(16, 64), (phoff, phoff + 56 * count)]
    for i in range(sections):
        _, kind, _, _, offset, size = struct.unpack_from(
            "<IIQQQQ", data, shoff + 64 * i)
        # dynsym, dynstr, rela, hash, dynamic, note, init and fini arrays,
        # GNU hash, versions
        if size and kind in (3, 4, 5, 6, 7, 11, 14, 15, 0x6ffffff6,
                             0x6ffffffe, 0x6fffffff):
            found.append((offset, offset + size))
    return found


def damaged(data, rng):
    found = places(data)
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start, stop = rng.choice(found)
        data[rng.randrange(start, stop)] = rng.choice(
            (0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return data


def damages():
    with open(COUNTER, "rb") as file:
        data = file.read()
    rng = random.Random(int(os.environ.get("KPROBES_SEED", 1)))
    loaded, problem = 0, ""
    with tempfile.TemporaryDirectory() as where, Victim("sleeps") as victim:
        for i in range(ROUNDS):
            path = os.path.join(where, f"bad{i}.so")
            with open(path, "wb") as file:
                file.write(damaged(data, rng))
            # Found where it is tried, too.
            run = kprobes("load", path, "symbol=opendir", "-p", victim.pid,
                          timeout=120)
            loaded += run.returncode == 0
            if victim.process.poll() is not None:
                problem += f"{i}: it died; {said(run)}"
                break
            if run.returncode not in (0, 1, 3, 5):
                problem += f"{i}: {said(run)}"
            if run.returncode == 0:
                kprobes("unload", "-a", "-p", victim.pid)
        kprobes("unload", "-a", "-p", victim.pid)
        report(f"damaged modules ({ROUNDS}): the target lives", problem or
               (loaded == ROUNDS and "none was refused"))
        report("... undisturbed", victim.finish())


def harms():
    with Victim("busy") as victim:
        before = state_of(victim.pid)

        def refused(words, says, *params, limited=None, **env):
            def command(*args):
                return kprobes(*args, env={**os.environ, **env}, timeout=120,
                               preexec_fn=limited)
            expect(words, 5, "load", HARMFUL, *params, "-p", victim.pid,
                   says=says, command=command)
        died = "would harm the process.* died of signal "
        refused("a constructor that crashes is refused", died + "11",
                HARM="crash")
        refused("a constructor that ends the process is refused",
                "would harm.* ended with status 0", HARM="end")
        refused("an init function that crashes is refused", died + "11",
                "harm=crash")
        refused("an init function that aborts is refused", died + "6",
                "harm=abort")
        refused("an init function that calls nothing is refused", died + "11",
                "harm=nowhere")
        refused("an exit function that crashes is refused", died + "11",
                "leave=crash")
        refused("a constructor that waits for ever is refused",
                "did not come to an end", HARM="wait")
        # By the caller's limit: the command's own is long.
        refused("an init function that computes for ever is refused",
                "did not come to an end", "harm=compute",
                limited=lambda: resource.setrlimit(
                    resource.RLIMIT_CPU, (2, resource.RLIM_INFINITY)))
        report("... and the process is as before",
               difference(before, state_of(victim.pid)))
        with subprocess.Popen(["sleep", "1000"]) as other:
            def rights():
                with open(f"/proc/{other.pid}/limits", encoding="ascii") as limits:
                    return (os.getpriority(os.PRIO_PROCESS, other.pid),
                            os.getpriority(os.PRIO_PROCESS, 0),
                            os.sched_getscheduler(other.pid),
                            os.sched_getaffinity(other.pid), limits.read())

            was = rights()
            expect("a constructor that changes another process", 0, "load", HARMFUL,
                   "-p", victim.pid, command=lambda *words: kprobes(
                       *words, env={**os.environ, "HARM": "others",
                                    "PROCESS_NAMED": str(other.pid)}))
            report("... does not where it is tried",
                   other.poll() is not None and "it was killed" or
                   rights() != was and f"{was} became {rights()}")
            kprobes("unload", "-a", "-p", victim.pid)
            other.kill()
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("old")
            file.flush()
            expect("a constructor that changes files", 0, "load", HARMFUL,
                   "-p", victim.pid, command=lambda *words: kprobes(
                       *words, env={**os.environ, "HARM": "files",
                                    "FILE_NAMED": file.name}))
            report("... changes none where it is tried",
                   (not os.path.exists(file.name) and "it is gone") or
                   (read(file.name) != "old" and read(file.name)) or
                   (os.path.exists(file.name + ".other") and "one was made"))
        expect("... unload", 0, "unload", "-a", "-p", victim.pid)
        report("... undisturbed", victim.finish())


compile_all()
compile_one("harmful.so", "harmful.c", "-fPIC", "-shared",
            '-DKBUILD_MODNAME="harmful"', *INCLUDES)
compile_one("sound", "sound.c", os.path.join(ROOT, "cli", "attach", "sound.c"),
            f"-I{ROOT}/cli", f"-I{ROOT}/cli/attach", f"-I{ROOT}/cli/symbols",
            f"-I{ROOT}/cli/inspect", f"-I{ROOT}/cli/x86")
good()
harms()
damages()
end()
