# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The endpoint in a process, and clients that do not keep to the protocol.

Owns: that only the process's user and root can speak to it, and that no client
hurts the process.  endpoint.py COUNT; KPROBES_SEED repeats a run.
"""
import array
import ctypes
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

from common import (BUILD, COUNTER, Victim, compile_all, descriptors_of,
                    difference, end, kprobes, read, report, said, state_of)

COUNT = int(sys.argv[1])
SEED = int(os.environ.get("KPROBES_SEED", time.time_ns() % 1000000))
KNOCK = b"kprobes 2 %016x%016x" % (1, 2)
PIDFD_GETFD = 438
PIDFD_THREAD = os.O_EXCL
libc = ctypes.CDLL(None, use_errno=True)
# "finish" and "disarm" end the service where they are taken.
VERBS = ("list", "blacklist", "enabled", "optimization", "enable", "disable",
         "load", "unload", "unload-all", "modules", "slots", "original",
         "disarm", "finish")
WORDS = ("0", "1", "y", "n", "on", "off", "2", "-1", "", " ", "victim_target",
         "victim_target+0x0", "malloc", "0x0", "0xffffffffffffffff", "0x1000",
         "libc.so.6", "/dev/zero", "/dev/null", "/", ".", "/proc/self/mem",
         "/etc/passwd", "nosuch.so", '"', '"" ""', "x" * 5000, "%s%n%d",
         COUNTER, COUNTER + " symbol=malloc", COUNTER + " post=7",
         "\xff\xfe", "a=b", "original", "\n\n")


def surface(pid):
    """The service thread and the number of its knock socket, from kp_attach."""
    library = os.path.join(BUILD, "libkprobes.so")
    names = subprocess.run(["nm", "-D", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    offset = int(re.search(r"(\w+) \w kp_attach$", names, re.M)[1], 16)
    base = int(re.search(r"^(\w+)-.*libkprobes\.so", read(f"/proc/{pid}/maps"),
                         re.M)[1], 16)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        mem.seek(base + offset)
        return struct.unpack("QIiiii", mem.read(28))[4:6]


def take(tid, flags, number):
    """Another's descriptor, or -1."""
    pidfd = libc.syscall(434, tid, flags)
    got = libc.syscall(PIDFD_GETFD, pidfd, number, 0)
    if pidfd >= 0:
        os.close(pidfd)
    return got


class Door:
    """The knock socket of the service thread that waits for a client."""

    def __init__(self, victim):
        self.victim = victim
        self.socket = None

    def knock(self):
        """A new one unless one waits still."""
        pid = self.victim.pid
        for _ in range(2000):
            tid, number = surface(pid)
            if self.socket and tid:
                return self.socket
            if not tid:
                self.victim.tell(b"s")
                tid, number = surface(pid)
            got = take(tid, PIDFD_THREAD, number) if tid else -1
            if got >= 0:
                self.socket = socket.socket(fileno=got)
                return self.socket
            time.sleep(0.01)
        raise TimeoutError("no service thread")

    def connect(self):
        """It serves this client, then it ends."""
        sock = connect(self.knock())
        self.socket = None
        return sock


def send(sock, data, fds=()):
    """False: it is not listened to, or not now."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
    sock.settimeout(5)
    try:
        sock.sendmsg([data], rights if fds else [], socket.MSG_NOSIGNAL)
        return True
    except OSError:
        return False


def connect(knock, words=KNOCK):
    own, handed = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    handed.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    send(knock, words, [handed.fileno()])
    handed.close()
    own.settimeout(20)
    return own


def answer(sock):
    """The errno at the end, or None."""
    try:
        while True:
            packet = sock.recv(65536)
            if not packet:
                return None
            if packet[:1] == b"e":
                return int(packet[1:].split()[0])
    except OSError:
        return None


# ---- clients ----------------------------------------------------------------------


def some_fd(rng, hold):
    """A descriptor of any kind; hold keeps what has to live."""
    kind = rng.randrange(7)
    if kind == 0:
        file = tempfile.TemporaryFile()
        file.write(rng.randbytes(rng.randrange(5000)))
        file.flush()
    elif kind == 1:
        file, writer = os.pipe()
        file = os.fdopen(file, "rb")
        hold.append(os.fdopen(writer, "wb"))
    elif kind == 2:
        file = socket.socket(socket.AF_UNIX, rng.choice(
            (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)))
    elif kind == 3:
        file = open(rng.choice(("/dev/zero", "/dev/null", "/proc/self/maps")),
                    "rb")
    elif kind == 4:
        file = open("/etc/passwd", "rb")
    elif kind == 5:
        file = part_of_module(rng)
    else:
        file = open(COUNTER, "rb")
    hold.append(file)
    return file.fileno()


def part_of_module(rng):
    """A module that was not copied as a whole, or with other headers."""
    with open(COUNTER, "rb") as source:
        data = bytearray(source.read())
    if rng.randrange(2):
        data = data[:rng.randrange(len(data))]
    else:
        for _ in range(4):
            data[rng.randrange(16)] = rng.randrange(256)
    file = tempfile.TemporaryFile()
    file.write(data)
    file.flush()
    return file


def noise(rng):
    return rng.randbytes(rng.choice((0, 1, 2, 9, 50, 500, 8191, 8192, 9000)))


def request(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return noise(rng)
    words = [rng.choice(VERBS)]
    words += rng.choices(WORDS, k=rng.randrange(4))
    text = " ".join(words).encode("latin-1")
    if kind == 1:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + noise(rng)[:20] + text[at:]
    if kind == 2:
        text = text[:rng.randrange(len(text) + 1)]
    return text[:60000]


def bad_knock(rng, door, hold):
    data = rng.choice((b"", b"kprobes 2", KNOCK[:-1] + b"3",
                       KNOCK + b"\0", noise(rng)))
    fds = [some_fd(rng, hold) for _ in range(rng.choice((0, 1, 1, 2, 30)))]
    if rng.randrange(4) == 0:
        data = KNOCK
        own, handed = socket.socketpair(
            socket.AF_UNIX, rng.choice((socket.SOCK_STREAM, socket.SOCK_DGRAM,
                                        socket.SOCK_SEQPACKET)))
        hold += [handed]
        own.close()  # nobody is there
        fds.insert(0, handed.fileno())
    send(door.knock(), data, fds)
    if data == KNOCK:
        door.socket = None


def bad_client(rng, door, hold):
    """Requests; the answers are read, or not."""
    sock = door.connect()
    reads = rng.randrange(4)
    for _ in range(rng.randrange(1, 6)):
        fds = [some_fd(rng, hold)
               for _ in range(rng.choice((0, 0, 0, 1, 1, 3)))]
        if not send(sock, request(rng), fds):
            break
        if reads:
            answer(sock)
    sock.close()


def deaf_client(_, door, hold):
    """It asks for much and never reads: it is given up, in STUCK_MS."""
    sock = door.connect()
    sock.settimeout(0.2)
    for _ in range(400):
        try:
            sock.send(b"blacklist", socket.MSG_DONTWAIT)
        except OSError:
            break
    hold.append(sock)


def fuzz(victim, door, rng):
    problem = ""
    for i in range(COUNT):
        hold = []
        client = rng.choice((bad_knock, bad_client, bad_client))
        if i % 150 == 100:
            client = deaf_client
        client(rng, door, hold)
        if victim.process.poll() is not None:
            problem = f"client {i}: it has ended: {victim.process.returncode}"
            break
        for held in hold:
            held.close()
    return problem and f"seed {SEED}: {problem}"


# ---- tests -------------------------------------------------------------------------


def asked(sock):
    """What the answer to a list is: its errno, or None."""
    send(sock, b"list")
    result = answer(sock)
    sock.close()
    return result


def in_child(fn):
    """What fn returns, 0 to 100, in a child of another user."""
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os._exit(fn())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def senders(door):
    """Who got hold of what, and may not use it."""
    pid = door.victim.pid
    sock = connect(door.knock(), KNOCK[:-1] + b"3")
    sock.settimeout(3)
    report("who does not know the token is not heard",
           asked(sock) is not None and "it is")
    sock = door.connect()
    status = in_child(lambda: 7 if asked(sock) is None else 8)
    report("another sends through a client's connection: it is dropped",
           (status != 7 and str(status)) or
           (asked(sock) is not None and "the client is heard still"))
    door.knock()
    tid, number = surface(pid)
    status = in_child(
        lambda: 7 if take(tid, PIDFD_THREAD, number) < 0 else 8)
    report("another user cannot take the socket", status != 7 and str(status))
    got = take(pid, 0, number) if number > 2 else -1
    report("the program's own table does not have it", got >= 0 and number)
    if got >= 0:
        os.close(got)


def main():
    compile_all()
    os.environ["KPROBES_LIBRARY"] = os.path.join(BUILD, "libkprobes.so")
    with Victim("busy", "masks", "sleeps", "handler") as victim:
        before = state_of(victim.pid)
        kprobes("load", COUNTER, "-p", victim.pid)
        attached = descriptors_of(victim.pid)
        door = Door(victim)
        senders(door)
        report(f"{COUNT} malformed and hostile clients",
               fuzz(victim, door, random.Random(SEED)))
        result = asked(door.connect())
        report("... the next one is answered", result and f"errno {result}")
        now = descriptors_of(victim.pid)
        report("... and no descriptor is left",
               now != attached and f"{attached}\n{now}")
        run = kprobes("unload", "-a", "-p", victim.pid)
        report("... and it can be left", run.returncode and said(run))
        report("... as before", difference(before, state_of(victim.pid)))
        report("undisturbed", victim.finish())


main()
end()
