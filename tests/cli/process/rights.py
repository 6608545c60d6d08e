# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a target may, and where what is said goes.

Owns: setuid programs and their caller's environment; what a program starts;
programs that give up rights while they are probed; reports and the program's
descriptors; kprobes log; the endpoint as before Linux 6.9.
"""
import ctypes
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

from common import (BUILD, COUNTER, KPROBES, OUT, PATIENCE, ROOT, Victim,
                    compile_all, descriptors_of, difference, end, kprobes, read,
                    report, said, state_of, threads_of)

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
LIBRARY = os.path.join(BUILD, "libkprobes.so")
libc = ctypes.CDLL(None, use_errno=True)


def compiled(name, text, *flags):
    source = os.path.join(OUT, name + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["gcc", "-O1", "-w", source, "-o", os.path.join(OUT, name),
                    *flags], check=True)
    return os.path.join(OUT, name)


def run(*command, **options):
    options.setdefault("env", os.environ)
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                          check=False, **options)


# ---- the environment ---------------------------------------------------------------


def setuid_program():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o777)
        app = compiled("setuid", "#include <linux/kprobes.h>\n#include <stdio.h>\n"
                       "int main(void) { (void)&register_kprobe;"
                       " puts(\"ran\"); return 0; }\n",
                       f"-I{ROOT}/include", f"-I{ROOT}/host/linux-user/include",
                       f"-I{ROOT}/arch/x86/include", "-Wl,--no-as-needed",
                       f"-L{folder}", f"-L{BUILD}", "-lkprobes",
                       f"-Wl,-rpath,{folder}")
        here = os.path.join(folder, "app")
        subprocess.run(["cp", app, here], check=True)
        subprocess.run(["cp", LIBRARY, COUNTER, folder], check=True)
        os.chown(here, 0, 0)
        os.chmod(here, 0o4755)
        log = os.path.join(folder, "log")
        env = dict(os.environ, KPROBES_LOAD=f"{folder}/counter.so symbol=puts",
                   KPROBES_LOG=f"3,{log}")
        got = run(*NOBODY, here, env=env)
        report("a setuid program runs", got.stdout != "ran\n" and said(got))
        report("... and obeys nothing of its caller's", os.path.exists(log))
        os.chmod(here, 0o755)
        run(*NOBODY, here, env=env)
        report("... which it would without setuid",
               not (os.path.exists(log) and "counter" in read(log)))


def children():
    env = {key: value for key, value in os.environ.items()
           if key not in ("LD_PRELOAD", "KPROBES_LOG", "KPROBES_CACHE")}
    got = run(KPROBES, "load", COUNTER, "symbol=getenv", "--", "sh", "-c",
              "env; env", env=env)
    report("what a probed program starts is not probed",
           (got.returncode or "KPROBES" in got.stdout or
            "PRELOAD" in got.stdout) and said(got))
    env["LD_PRELOAD"] = "libc.so.6"
    got = run(KPROBES, "load", COUNTER, "symbol=getenv", "--", "env", env=env)
    report("... and LD_PRELOAD is the user's", "LD_PRELOAD=libc.so.6\n"
           not in got.stdout and said(got))


# ---- rights that are given up --------------------------------------------------------


def giving_up():
    """A program that is attached to, then drops what it has, in every way."""
    app = compiled("dropper", r"""
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	char c;

	puts("ready"); fflush(stdout);
	read(0, &c, 1);
	if (c == 'c') syscall(SYS_capset, &h, none);
	if (c == 'u') syscall(SYS_setresuid, 65534, 65534, 65534);
	if (c == 'n') prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (c == 's') printf("unshare %d\n", unshare(CLONE_NEWUSER | CLONE_NEWNS));
	if (c == 'r') { chroot("/proc/self/fdinfo"); chdir("/"); }
	puts("done"); fflush(stdout);
	read(0, &c, 1);
	return 0;
}
""")
    for what, words in (("c", "capabilities"), ("u", "its user"),
                        ("n", "new privileges"), ("s", "its namespaces"),
                        ("r", "its root")):
        with subprocess.Popen([app], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            before = state_of(process.pid)
            got = kprobes("load", COUNTER, "symbol=getenv", "-p", process.pid)
            problem = got.returncode and said(got)
            process.stdin.write(what)
            process.stdin.flush()
            answer = process.stdout.readline()
            if what == "s" and answer.startswith("unshare"):
                # -1 without us as well: user namespaces may be forbidden
                problem = problem or (answer != "unshare 0\n" and
                                      run("unshare", "-U", "true").returncode == 0
                                      and answer)
                answer = process.stdout.readline()
            problem = problem or (len(threads_of(process.pid)) != 1 and
                                  "a thread of ours")
            report(f"a program gives up {words} while it is probed", problem)
            got = kprobes("unload", "-a", "-p", process.pid)
            report("... and is left as it was", got.returncode and said(got) or
                   difference(before, state_of(process.pid)))
            process.stdin.write("x")
            process.stdin.flush()


# ---- what is said --------------------------------------------------------------------


def descriptors():
    """Standard error is closed, and its number is a file of the program's."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        app = compiled("closer", r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char c;

	close(2);
	if (open(argv[1], O_RDWR | O_CREAT, 0600) != 2)
		return 1;
	getenv("PATH");
	puts("ready"); fflush(stdout);
	read(0, &c, 1);
	return 0;
}
""")
        got = run(KPROBES, "load", COUNTER, "symbol=getenv", "--", app, data,
                  input="x")
        report("a program that reuses number 2 keeps its file",
               (got.returncode or read(data)) and said(got) + read(data))
        report("... and what is said comes through",
               "hits" not in got.stderr and said(got))
        with subprocess.Popen([app, data], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            got = kprobes("load", COUNTER, "symbol=getenv", "-p", process.pid)
            out = kprobes("unload", "-a", "-p", process.pid)
            report("the same, attached to", read(data) or
                   ("hits" not in out.stderr and said(out)))
            process.stdin.write("x")


def full_pipe():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    with subprocess.Popen([os.path.join(OUT, "victim"), "busy"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=writer) as process:
        process.stdout.readline()
        problem = ""
        for words in (("load", COUNTER), ("list",), ("unload", "-a")):
            got = kprobes(*words, "-p", process.pid)
            problem += got.returncode and said(got) or ""
        report("a full pipe at number 2 stops nothing", problem)
        process.stdin.close()
        process.wait(PATIENCE)
    got = subprocess.run([KPROBES, "load", COUNTER, "symbol=getenv", "--",
                          "true"], stderr=writer, timeout=PATIENCE, check=False)
    report("... nor a program that is started so",
           got.returncode and str(got.returncode))
    os.close(reader)
    os.close(writer)


def the_log():
    with Victim("busy") as victim:
        kprobes("load", COUNTER, "-p", victim.pid)
        kprobes("unload", "counter.so", "-p", victim.pid)
        got = kprobes("log", "-p", victim.pid)
        report("kprobes log has what was said",
               not re.search(r"^counter: .* hits \d+$", got.stdout, re.M) and
               said(got))
        os.kill(victim.pid, signal.SIGSTOP)
        again = kprobes("log", "-p", victim.pid)
        os.kill(victim.pid, signal.SIGCONT)
        report("... of a stopped process, too", again.stdout != got.stdout and
               said(again))
        with subprocess.Popen([KPROBES, "log", "-f", "-p", str(victim.pid)],
                              stdout=subprocess.PIPE, text=True) as follower:
            for _ in got.stdout.splitlines():
                follower.stdout.readline()
            kprobes("load", COUNTER, "-p", victim.pid)
            kprobes("unload", "counter.so", "-p", victim.pid)
            line = follower.stdout.readline()
            report("kprobes log -f goes on", not line.startswith("counter: ")
                   and line)
            problem = victim.finish()
            try:
                follower.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                follower.kill()
                problem = "it does not end with the process"
            report("... until the process ends", problem)
    got = kprobes("log", "-p", os.getpid())
    report("no log where nothing is probed", got.returncode != 3 and said(got))


def forged_log():
    """A log that says what it likes is bounded, and harmless."""
    with Victim() as victim:
        kprobes("load", COUNTER, "-p", victim.pid)
        names = run("nm", "-D", LIBRARY).stdout
        offset = int(re.search(r"(\w+) \w kp_log$", names, re.M)[1], 16)
        base = int(re.search(r"^(\w+)-.*libkprobes\.so",
                             read(f"/proc/{victim.pid}/maps"), re.M)[1], 16)
        problem = ""
        with open(f"/proc/{victim.pid}/mem", "r+b", buffering=0) as mem:
            for head in (1, 3, 600, 1 << 63, (1 << 64) - 1):
                mem.seek(base + offset + 16)
                mem.write(struct.pack("<Q", head))
                mem.write(b"".join(
                    struct.pack("<QHHI", (head - head % 512 + i + 1) &
                                ((1 << 64) - 1), 65535, 1, 0) +
                    b"\x1b[2J\xff\n" * 40 for i in range(512)))
                got = subprocess.run([KPROBES, "log", "-p", str(victim.pid)],
                                     stdout=subprocess.PIPE, timeout=PATIENCE,
                                     check=False)
                if b"\x1b" in got.stdout or len(got.stdout) > 4 << 20:
                    problem += f"{head}: {got.stdout[:80]}"
        report("a forged log is bounded and harmless", problem)
        kprobes("unload", "-a", "-p", victim.pid)
        report("... undisturbed", victim.finish())


# ---- before Linux 6.9 -----------------------------------------------------------------


def refuse_thread_pidfds():
    """In a child: pidfd_open knows no flags; by a seccomp filter."""
    code = b"".join(struct.pack("HBBI", *line) for line in (
        (0x20, 0, 0, 0),                    # its number
        (0x15, 0, 3, 434),                  # pidfd_open
        (0x20, 0, 0, 24),                   # the flags
        (0x15, 1, 0, 0),
        (0x06, 0, 0, 0x00050000 | 22),      # EINVAL
        (0x06, 0, 0, 0x7fff0000)))
    buffer = ctypes.create_string_buffer(code)
    prog = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc.prctl(22, 2, ctypes.c_char_p(prog), 0, 0)


def old_kernel():
    with Victim("busy", "sleeps") as victim:
        before = state_of(victim.pid)
        problem = ""
        for words in (("load", COUNTER), ("list",)):
            got = kprobes(*words, "-p", victim.pid,
                          preexec_fn=refuse_thread_pidfds)
            now = descriptors_of(victim.pid)
            problem += got.returncode and said(got) or ""
            problem += str(now) if now != before["descriptors"] else ""
        report("a kernel without pidfds of threads: load and list", problem)
        got = kprobes("unload", "-a", "-p", victim.pid,
                      preexec_fn=refuse_thread_pidfds)
        report("... and unload", got.returncode and said(got) or
               difference(before, state_of(victim.pid)))
        report("... undisturbed", victim.finish())


compile_all()
setuid_program()
children()
giving_up()
descriptors()
full_pipe()
the_log()
forged_log()
old_kernel()
end()
