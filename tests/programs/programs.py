# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The programs: how each is started, asked, and known to be right.

Owns: one class a program.  A program has a process that is probed (`pid`), the
object whose functions are probed (`object`), and request(), which asks once and
raises when the answer is wrong or does not come.
"""
import glob
import http.client
import http.server
import os
import pwd
import queue
import shutil
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 60


class Wrong(Exception):
    """An answer that is not what it has to be."""


def fixture(name):
    return os.path.join(HERE, "fixture", name)


def work(n):
    """What the fixtures answer."""
    for _ in range(2000):
        n = (n * 31 + len(f"{n:x}")) % 1000000007
    return n


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path, encoding="ascii") as text:
            found += [int(word) for word in text.read().split()]
    return found


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise Wrong(f"{what} did not come in {PATIENCE} s")


class Program:
    """What the others share."""
    name = object = None
    version_of = None			# a command
    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.process = None
        self.pid = None

    def spawn(self, command, **options):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            options.setdefault("stdout", log)
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log,
                cwd=self.folder, start_new_session=True, **options)
        self.pid = self.process.pid

    def version(self):
        done = subprocess.run(self.version_of, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        return (done.stdout.splitlines() or ["?"])[0].strip()

    def ready(self):
        def answers():
            if self.process.poll() is not None:
                raise Wrong(f"ended with {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                return False
            return True
        wait_for("its port", answers)

    def stop(self):
        if not self.process or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()


class Web(Program):
    """Answers HTTP; one connection that is kept."""
    requests = [(f"/{n}", str(work(n)).encode()) for n in range(1, 40)]

    def start(self):
        self.launch()
        self.ready()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                     timeout=PATIENCE)
        self.at = 0

    def request(self):
        path, expected = self.requests[self.at % len(self.requests)]
        self.at += 1
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200 or body != expected:
            raise Wrong(f"{path}: {answer.status}, {body[:40]!r}")


class Nginx(Web):
    """A worker, which is another user's."""
    name = object = "nginx"
    version_of = ["nginx", "-v"]

    def launch(self):
        self.requests = []
        for n, size in enumerate((0, 100, 5000, 300000)):
            body = os.urandom(size)
            with open(os.path.join(self.folder, f"f{n}"), "wb") as out:
                out.write(body)
            self.requests.append((f"/f{n}", body))
        config = os.path.join(self.folder, "conf")
        with open(config, "w", encoding="ascii") as out:
            out.write(f"""
                daemon off; worker_processes 1; user nobody nogroup;
                pid {self.folder}/pid; error_log {self.folder}/error;
                events {{ worker_connections 64; }}
                http {{ access_log off; keepalive_requests 1000000000;
                    server {{ listen 127.0.0.1:{self.port};
                              root {self.folder}; }} }}""")
        self.spawn(["nginx", "-c", config, "-e", f"{self.folder}/error"])

    def ready(self):
        super().ready()
        self.pid = wait_for("a worker", lambda: children(self.process.pid))[0]


class Memcached(Program):
    """Threads, another user's."""
    name = object = "memcached"
    version_of = ["memcached", "-V"]

    def start(self):
        self.spawn(["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p",
                    str(self.port), "-t", "4"])
        self.ready()
        self.sock = socket.create_connection(("127.0.0.1", self.port))
        self.sock.settimeout(PATIENCE)
        self.file = self.sock.makefile("rb")
        self.at = 0

    def request(self):
        self.at += 1
        value = (b"%d." % self.at) * (self.at % 200 + 1)
        self.sock.sendall(b"set k%d 0 0 %d\r\n%s\r\nget k%d\r\n" % (
            self.at % 50, len(value), value, self.at % 50))
        lines = [self.file.readline() for _ in range(4)]
        if lines[0] != b"STORED\r\n" or lines[2] != value + b"\r\n":
            raise Wrong(f"{lines[0][:20]!r}, {lines[2][:20]!r}")


class Postgres(Program):
    """The server process of one connection."""
    name = object = "postgres"

    def __init__(self, folder):
        super().__init__(folder)
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.version_of = [f"{self.bin}/postgres", "-V"]
        self.psql = None

    def start(self):
        user = pwd.getpwnam("postgres")
        data = os.path.join(self.folder, "data")
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        subprocess.run([f"{self.bin}/initdb", "-D", data, "-A", "trust", "-N"],
                       user=user.pw_uid, group=user.pw_gid, check=True,
                       cwd=self.folder, stdout=subprocess.DEVNULL)
        self.spawn([f"{self.bin}/postgres", "-D", data, "-p", str(self.port),
                    "-k", self.folder, "-c", "fsync=off"],
                   user=user.pw_uid, group=user.pw_gid)
        wait_for("the server", lambda: not subprocess.run(
            [f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p",
             str(self.port)], check=False).returncode)
        self.psql = subprocess.Popen(
            [f"{self.bin}/psql", "-XAtq", "-h", "127.0.0.1", "-p",
             str(self.port), "-U", "postgres", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = int(self.ask("SELECT pg_backend_pid()"))
        self.ask("CREATE TABLE t AS SELECT g AS id, g % 97 AS v "
                 "FROM generate_series(1, 3000) g; SELECT 1")
        self.at = 0

    def ask(self, query):
        self.psql.stdin.write(query + ";\n")
        self.psql.stdin.flush()
        answer = self.psql.stdout.readline()
        if not answer:
            raise Wrong("the connection was closed")
        return answer.strip()

    def request(self):
        self.at = self.at % 97 + 1
        rows = [g for g in range(1, 3001) if g % 97 == self.at % 97]
        answer = self.ask(f"UPDATE t SET id = id WHERE v = {self.at % 97}; "
                          "SELECT count(*), sum(id), max(md5(id::text)) <> '' "
                          f"FROM t WHERE v = {self.at % 97}")
        if answer != f"{len(rows)}|{sum(rows)}|t":
            raise Wrong(answer)

    def stop(self):
        if self.psql:
            self.psql.kill()
        super().stop()


class Node(Web):
    name = object = "node"
    version_of = ["node", "--version"]

    def launch(self):
        self.spawn(["node", fixture("server.js"), str(self.port)])


class Java(Web):
    """The virtual machine; its launcher is nothing to speak of."""
    name = "java"
    object = "libjvm.so"
    version_of = ["java", "-version"]

    def launch(self):
        subprocess.run(["javac", "-d", self.folder, fixture("Server.java")],
                       check=True)
        self.spawn(["java", "-Xmx256m", "-Dsun.net.httpserver.nodelay=true", "-cp", self.folder, "Server",
                    str(self.port)])


class Python(Web):
    """A thread a connection."""
    name = "python"
    version_of = ["/usr/bin/python3", "--version"]

    def __init__(self, folder):
        super().__init__(folder)
        self.object = os.path.basename(os.path.realpath("/usr/bin/python3"))

    def launch(self):
        self.spawn(["/usr/bin/python3", fixture("server.py"), str(self.port)])


class Go(Web):
    name = "go"
    object = "goserver"
    version_of = ["go", "version"]

    def launch(self):
        program = os.path.join(self.folder, self.object)
        subprocess.run(["go", "build", "-o", program, fixture("server.go")],
                       check=True, cwd=self.folder,
                       env={**os.environ, "CGO_ENABLED": "1",
                            "GOFLAGS": "-mod=mod",
                            "GOCACHE": os.path.join(self.folder, "cache")})
        self.spawn([program, str(self.port)])


class Rust(Web):
    name = "rust"
    object = "rustserver"
    version_of = ["rustc", "--version"]

    def launch(self):
        program = os.path.join(self.folder, self.object)
        subprocess.run(["rustc", "-O", "-o", program, fixture("server.rs")],
                       check=True)
        self.spawn([program, str(self.port)])


class Qemu(Program):
    """The emulator at work on a guest that counts."""
    name = "qemu"
    object = "qemu-system-x86_64"
    version_of = ["qemu-system-x86_64", "--version"]

    def start(self):
        image = os.path.join(self.folder, "guest")
        subprocess.run(["as", "--32", "-o", image + ".o", fixture("guest.S")],
                       check=True)
        subprocess.run(["ld", "-m", "elf_i386", "--oformat", "binary", "-Ttext",
                        "0x7c00", "-o", image, image + ".o"], check=True)
        self.spawn(["qemu-system-x86_64", "-accel", "tcg", "-display", "none",
                    "-monitor", "none", "-m", "16", "-nodefaults",
                    "-debugcon", "stdio", "-drive",
                    f"format=raw,file={image},snapshot=on"],
                   stdout=subprocess.PIPE)
        self.at = 0

    def request(self):
        self.at += 1
        expected = self.at
        for i in range(2000, 0, -1):
            expected = ((expected * 31 + 7) & 0xffffffff) ^ i
        line = self.process.stdout.readline()
        if int(line or b"-1", 16) != expected:
            raise Wrong(f"{self.at}: {line!r}, not {expected:x}")


class Chromium(Program):
    """The process that draws a page, which computes and asks for the next."""
    name = object = "chromium"
    version_of = ["/usr/lib/chromium/chromium", "--version", "--no-sandbox"]

    def start(self):
        self.answers = queue.Queue(1)
        self.serve()
        self.spawn(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                    "--disable-dev-shm-usage", "--no-zygote",
                    f"--user-data-dir={self.folder}/profile",
                    f"http://127.0.0.1:{self.port}/"])
        self.at = 0
        self.request()
        self.pid = wait_for("its renderer", self.renderer)

    def renderer(self):
        todo = [self.process.pid]
        while todo:
            pid = todo.pop()
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if b"--type=renderer" in line.read().replace(b"\0", b" "):
                        return pid
                todo += children(pid)
            except OSError:
                pass
        return None

    def serve(self):
        answers = self.answers
        with open(fixture("page.html"), "rb") as page:
            text = page.read()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                words = self.path.split("/")
                if len(words) == 3:
                    answers.put((int(words[1]), int(words[2])))
                body = b"" if len(words) == 3 else text
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port),
                                                      Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def request(self):
        self.at += 1
        try:
            answer = self.answers.get(timeout=PATIENCE)
        except queue.Empty:
            raise Wrong("the page does not ask any more") from None
        if answer != (self.at, work(self.at)):
            raise Wrong(f"{answer}, not {(self.at, work(self.at))}")

    def stop(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self.server.shutdown()


PROGRAMS = {each.name: each for each in (Nginx, Postgres, Memcached, Node, Java,
                                         Python, Go, Rust, Qemu, Chromium)}


def fresh_folder(base, name):
    path = os.path.join(base, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    os.chmod(path, 0o755)
    return path
