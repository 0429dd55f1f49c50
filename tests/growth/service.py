"""A database of Daybook's in a folder of its own: made by `daybook-bench load`, served by `dev`, looked at by psql."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

READY_WITHIN_S = 600
# How often the head of the log and the read models' position are looked at.
LOOK_S = 0.2
MEMORY_DISKS = ("tmpfs", "ramfs")
WATCH = f"""select extract(epoch from clock_timestamp()),
 (select last_position from commit where shard = 1 order by commit_no desc limit 1),
 (select min(position) from cursor where name = 'reads') \\watch {LOOK_S}
"""
# What a dump does: one snapshot, held from its beginning to its end.
HOLD = "begin isolation level repeatable read; select 1 from event limit 1;\n"
HELD = """select count(*) from pg_stat_activity
 where state = 'idle in transaction' and backend_xmin is not null and query like 'select 1 from event%'"""
# A made platform's secret is told to nobody. It takes those of one that was made for this, and gives them back.
SWAP = """begin;
create temp table two on commit drop as select * from platform where name in ('Load 1', 'Reader');
update platform set client_id = 'moving ' || client_id where platform in (select platform from two);
update platform p set client_id = two.client_id, secret_hash = two.secret_hash, sealed_secret = two.sealed_secret
 from two where p.platform in (select platform from two) and p.platform <> two.platform;
commit"""
SIZES = """select json_build_object('events', (select max(last_position) from commit),
 'log', pg_total_relation_size('event') + pg_total_relation_size('commit') + pg_total_relation_size('tile'),
 'all', pg_database_size(current_database()))"""


def free_port():
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def refuse_memory_disks(folder):
    """Durations on a memory disk say nothing about a disk."""
    asked = subprocess.run(["stat", "-f", "-c", "%T", folder], stdout=subprocess.PIPE, check=True)
    kind = asked.stdout.decode().strip()
    if kind in MEMORY_DISKS:
        raise SystemExit(f"{folder} is on {kind}; name a folder on a disk with --folder")


def memory_mib(process, which="VmRSS"):
    """What /proc says of a process; 0 if it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{which}:")), 0.0)


class Data:
    """The folder; `with` removes it and ends the PostgreSQL in it, whatever happened."""

    def __init__(self, binary, parent):
        refuse_memory_disks(parent)
        self.binary, self.bench = binary, os.path.join(os.path.dirname(binary), "daybook-bench")
        self.folder = tempfile.mkdtemp(prefix="daybook-growth-", dir=parent)
        # As root, PostgreSQL runs under another account, which has to get through.
        os.chmod(self.folder, 0o711)
        self.data, self.credentials = f"{self.folder}/data", None
        self.psql = ["psql", "-qX", "-h", f"{self.data}/socket", "-U", "daybook", "-d", "daybook", "-At"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop_postgres()
        shutil.rmtree(self.folder)

    def stop_postgres(self):
        try:
            pid = int(pathlib.Path(f"{self.data}/postgres/postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGINT)
            while pathlib.Path(f"/proc/{pid}").exists():
                time.sleep(0.1)
        except OSError:
            pass

    @contextlib.contextmanager
    def postgres(self):
        """Has PostgreSQL run, so that it can be looked at before, while and after commands use it."""
        command = [self.binary, "log", "tail", "--follow", "--data-dir", self.data]
        with self.log() as log:
            tail = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        is_up = tail.stdout.readline()
        # What a killed process started stays, and whoever comes next uses it and leaves it.
        tail.kill()
        tail.communicate()
        try:
            if not is_up:
                self.fail("log tail")
            yield
        finally:
            self.stop_postgres()

    def log(self):
        return open(f"{self.folder}/daybook.log", "ab+")

    def fail(self, what):
        raise SystemExit(f"{what}: {pathlib.Path(self.folder, 'daybook.log').read_text(errors='replace')[-2000:]}")

    def run(self, *args, program=None):
        """The JSON that a command prints, and the last progress that it tells."""
        with self.log() as log:
            begun = log.seek(0, os.SEEK_END)
            command = [program or self.binary, *args, "--json", "--data-dir", self.data]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=log)
            if done.returncode:
                self.fail(" ".join(args))
            return json.loads(done.stdout), self.told(log, begun)

    def told(self, log, begun):
        log.seek(begun)
        lines = [json.loads(line) for line in log.read().decode().splitlines() if line.startswith('{"')]
        return {line["progress"]: line for line in lines if "progress" in line}

    def sql(self, statement):
        """What psql prints; somebody must have started PostgreSQL."""
        return subprocess.run([*self.psql, "-c", statement], stdout=subprocess.PIPE, check=True).stdout.decode()

    def load(self, events, nodes):
        """Brings the log to so many events; answers how many there are."""
        return self.run("load", "--events", str(events), "--nodes", str(nodes), program=self.bench)[0]["events"]

    def append(self, events, nodes, hold=False):
        """`load`, watched meanwhile, with a snapshot held open if `hold`; within `postgres`."""
        command = [self.bench, "load", "--events", str(events), "--nodes", str(nodes), "--json"]
        with self.log() as log, open(f"{self.folder}/watch", "w+b") as seen:
            begun, peak, sessions = log.seek(0, os.SEEK_END), 0.0, [self.session(WATCH, seen)]
            if hold:
                sessions.append(self.session(HOLD, subprocess.DEVNULL))
                self.wait_until_held()
            loader = subprocess.Popen([*command, "--data-dir", self.data], stdout=subprocess.PIPE, stderr=log)
            try:
                while loader.poll() is None:
                    peak = max(peak, memory_mib(loader, "VmHWM"))
                    time.sleep(LOOK_S)
                # One more look at the end.
                time.sleep(2 * LOOK_S)
                if any(session.poll() is not None for session in sessions):
                    self.fail("a session with PostgreSQL ended")
            finally:
                for process in (loader, *sessions):
                    process.terminate()
                printed = [process.communicate()[0] for process in (loader, *sessions)][0]
            if loader.returncode:
                self.fail("daybook-bench load")
            seen.seek(0)
            rows = [line.split("|") for line in seen.read().decode().splitlines() if line.count("|") == 2]
            samples = [(float(at), int(head), int(reads)) for at, head, reads in rows]
            return json.loads(printed), self.told(log, begun)["history"]["events_per_second"], peak, samples

    def session(self, text, out):
        """A psql that was told `text` and stays."""
        session = subprocess.Popen(self.psql, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL)
        session.stdin.write(text.encode())
        session.stdin.flush()
        return session

    def wait_until_held(self):
        deadline = time.monotonic() + 10
        while self.sql(HELD).strip() != "1":
            if time.monotonic() > deadline:
                self.fail("no snapshot is held")
            time.sleep(0.05)

    def borrow(self):
        """Makes the made platform readable, under `credentials`, until `give_back`; while it is served."""
        if self.credentials is None:
            self.credentials = self.run("client", "create", "Reader", "--sandbox")[0]
        self.sql(SWAP)

    def give_back(self):
        """`daybook-bench load` knows its platform by its own credentials."""
        self.sql(SWAP)

    def sizes(self):
        """Bytes of the log and of everything, without write-ahead log."""
        return json.loads(self.sql(SIZES))

    def evict(self):
        """Has the kernel forget the files, so that they are read from the disk again; PostgreSQL must have ended."""
        os.sync()
        for path in pathlib.Path(self.data, "postgres").rglob("*"):
            if path.is_file():
                with open(path, "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Server:
    """A `daybook dev` on a folder; `start_s` is the time to the first 200 of /health/ready. PostgreSQL ends with it."""

    def __init__(self, data):
        self.data, self.port = data, free_port()

    def __enter__(self):
        args = ["dev", "--listen", f"127.0.0.1:{self.port}", "--settle-after", "1h", "--data-dir", self.data.data]
        begun = time.perf_counter()
        with self.data.log() as log:
            self.process = subprocess.Popen([self.data.binary, *args], stdout=log, stderr=log)
        while not self.is_ready():
            if self.process.poll() is not None or time.perf_counter() - begun > READY_WITHIN_S:
                self.__exit__()
                self.data.fail("daybook is not ready")
            time.sleep(0.005)
        self.start_s = time.perf_counter() - begun
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def is_ready(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as probe:
                probe.sendall(b"GET /health/ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                return b" 200 " in probe.recv(64)
        except OSError:
            return False

    def memory_mib(self):
        return memory_mib(self.process)
