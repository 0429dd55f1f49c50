"""Builds the machines of docs/how-to/high-availability.md with the files and commands of that page, pays through the
balancer at a fixed rate, breaks one thing at a time, and has every payment compared with the log. tests/failover/run.sh
starts it.
"""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request

from machines import Machine, sh, wire

# Of docs/deploy/postgres/patroni.yml, seconds.
TTL = 20
# The longest gap of each event, seconds: between two acknowledged answers to anybody.
BOUNDS = {
    "lost": TTL + 5,
    # The services start in it.
    "lost+restart": TTL + 10,
    "isolated": TTL + 5,
    "parted": TTL + 5,
    "switchover": 5,
    "standby-lost": 5,
    "standby-isolated": 5,
    "restart": 2,
}
# Seconds of payments before an event, and after everything is whole again.
LEAD = 5
# Seconds that the machines may take until all are whole again.
WHOLE = 180
PATRONI = "/etc/patroni/config.yml"


def main():
    options = parsed()
    stage = pathlib.Path(options.stage)
    try:
        ledger = Ledger(stage, pathlib.Path(options.root), options)
        ledger.build()
    except Exception as error:
        print(f"failover: it could not be set up: {error}", file=sys.stderr)
        told(stage)
        return 2
    runs, ok = [], True
    try:
        for time_ in range(1, options.times + 1):
            for event in options.only:
                run = one(ledger, event, f"{event}-{time_}")
                runs.append(run)
                ok &= not run["wrong"]
                print(json.dumps(run), flush=True)
    except RuntimeError as error:
        print(f"failover: {event} {time_}: {error}", file=sys.stderr)
        ok = False
    if options.out:
        keep(stage, options.out)
    for wrong in ledger.audit():
        print(f"failover: {wrong}", file=sys.stderr)
        ok = False
    if options.out:
        (options.out / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    print("\n" + table(runs, options.only))
    if not ok:
        told(stage)
    print("All held." if ok else "SOMETHING DID NOT HOLD.")
    return 0 if ok else 1


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(BOUNDS))
    parser.add_argument("--way", choices=["haproxy", "hosts"], default="haproxy")
    parser.add_argument("--patroni", default="")
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.only) - set(BOUNDS):
        parser.error(f"there is no event {', '.join(unknown)}: {', '.join(BOUNDS)}")
    return options


def one(ledger, event, name):
    """One event under load; what came of it, and in `wrong` what should not be."""
    payments = ledger.pay(name)
    begun = time.monotonic()
    time.sleep(LEAD)
    at = time.strftime("%H:%M:%S", time.gmtime())
    getattr(ledger, event.replace("-", "_").replace("+", "_and_"))()
    ledger.wait_until_whole()
    whole = round(time.monotonic() - begun - LEAD, 1)
    payments.stdin.close()
    said, code = payments.stdout.read(), payments.wait()
    run = {"event": event, "at": at, "whole_after_s": whole, "wrong": []}
    wrong = run["wrong"]
    try:
        run |= json.loads(said)
    except ValueError:
        wrong.append(f"the payments ended with code {code}")
        return run
    if run["lost"] or run["doubled_or_missing"] or code:
        wrong.append("the log is not what was acknowledged")
    if run["without_retry_after"]:
        wrong.append("a 503 has no Retry-After")
    if "500" in run["others"]:
        wrong.append(f"a service answered 500: {run['odd']}")
    if run["gap_ms"] > 1000 * BOUNDS[event]:
        wrong.append(f"the gap is longer than {BOUNDS[event]} s")
    wrong += ledger.ended
    ledger.ended.clear()
    return run


class Ledger:
    """Three machines of the database, two of the service, one of the balancer."""

    def __init__(self, stage, root, options):
        self.stage, self.root, self.options = stage, root, options
        self.page = (root / "docs/how-to/high-availability.md").read_text()
        self.deploy = root / "docs/deploy/postgres"
        self.services = {}
        # Services that ended although nobody stopped them. They are started again, as by a supervisor.
        self.ended = []
        self.programs = {}

    # --- Building ---------------------------------------------------------------------------------

    def build(self):
        wire()
        kit = self.stage / "kit"
        kit.mkdir()
        self.databases = [Machine(self.stage, f"db{number}", 10 + number) for number in (1, 2, 3)]
        self.apps = [Machine(self.stage, f"app{number}", 20 + number) for number in (1, 2)]
        self.edge = Machine(self.stage, "edge", 10)
        for machine in [*self.databases, *self.apps, self.edge]:
            machine.boot()
        path = f"{self.stage}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        shell = ["env", f"DEPLOY={self.deploy}", f"PATH={path}"]
        self.paste("Make the files", 1, shell, cwd=kit)
        kit = self.kit = kit / "ledger"
        self.paste("Make the files", 2, shell, cwd=kit)
        self.password = (kit / "LEDGER.password").read_text().strip()
        self.fit(kit)
        for machine in self.databases:
            self.paste("Start the database", 1, machine.inside(folder=kit / machine.name))
        for machine in self.databases:
            self.start_etcd(machine)
        self.wait(self.etcd_is_whole, 30, "etcd")
        for machine in self.databases:
            self.start_patroni(machine)
        self.wait(self.database_is_whole, WHOLE, "the database")
        print(self.paste("Start the database", 2, self.databases[0].inside(user="postgres")), flush=True)
        self.paste("Start the database", 3, self.leader().inside(user="postgres", folder=kit))
        self.start_services()

    def fit(self, kit):
        """Adapts the page's files to this machine: the version of PostgreSQL, and disks of a test."""
        programs = pathlib.Path("/usr/lib/postgresql").iterdir()
        version = max(int(path.name) for path in programs if path.name.isdigit())
        for machine in self.databases:
            file = kit / machine.name / "config.yml"
            text = file.read_text().replace("postgresql/15/", f"postgresql/{version}/")
            if self.options.patroni == "debian":
                # Patroni 3 does not know quorums, and takes the word for "no".
                text = text.replace("synchronous_mode: quorum", "synchronous_mode: true")
            file.write_text(text)

    def start_services(self):
        for app in self.apps:
            etc = app.folder / "etc/daybook"
            for file in (self.kit / "app").iterdir():
                shutil.copy(file, etc)
                shutil.chown(etc / file.name, "postgres", "postgres")
                (etc / file.name).chmod(0o600)
            anchor = self.stage / "anchor" / app.name
            anchor.mkdir(parents=True)
            shutil.chown(anchor, "postgres", "postgres")
            if self.options.way == "hosts":
                file, hosts = etc / "daybook.env", ",".join(db.address for db in self.databases)
                file.write_text(file.read_text().replace("127.0.0.1:6432", hosts).replace("verify-ca", "verify-full"))
                continue
            shutil.copy(self.deploy / "haproxy-primary.cfg", app.folder / "etc/haproxy/haproxy-primary.cfg")
            self.start_haproxy(app, "haproxy-primary.cfg")
            self.wait(lambda: is_open(app, 6432), 30, "the way to the primary")
        # HAProxy takes every server for a primary until it was asked often enough.
        time.sleep(5)
        work = self.stage / "work"
        work.mkdir()
        shutil.chown(work, "postgres", "postgres")
        self.paste("Start the services", 1, self.apps[0].inside(user="postgres", folder=work))
        create = ". /etc/daybook/daybook.env; daybook client create Failover --sandbox --json"
        credentials = self.apps[0].run("bash", "-ac", create, user="postgres")
        (self.stage / "client.json").write_text(credentials[credentials.index("{"):])
        for app in self.apps:
            self.start_service(app)
        for file in ("haproxy.cfg", "503.http"):
            shutil.copy(self.deploy / file, self.edge.folder / "etc/haproxy" / file)
        self.start_haproxy(self.edge, "haproxy.cfg")
        self.wait_until_whole()

    def paste(self, heading, number, shell, cwd="/"):
        """Runs a block of the page in a shell."""
        section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", self.page, re.M | re.S)
        blocks = re.findall(r"^```sh\n(.*?)^```$", section.group(1), re.M | re.S) if section else []
        if len(blocks) < number:
            raise RuntimeError(f"the page has no block {number} under {heading}")
        return sh(*shell, "bash", "-euo", "pipefail", "-c", blocks[number - 1], cwd=cwd)

    def start_etcd(self, machine):
        machine.start("etcd", "bash", "-ac", ". /etc/default/etcd; exec etcd")

    def start_patroni(self, machine):
        machine.start("patroni", "patroni", PATRONI)

    def start_service(self, app):
        anchor = self.stage / "anchor" / app.name
        serve = f"exec daybook serve --listen {app.address}:8080 --settle-after 1s --anchor {anchor}"
        self.services[app.name] = app.start("daybook", "bash", "-ac", f". /etc/daybook/daybook.env; {serve}")

    def start_haproxy(self, machine, file):
        command = ["haproxy", "-db", "-f", f"/etc/haproxy/{file}"]
        self.programs[machine.name] = machine.start("haproxy", *command, user=None)

    # --- Looking ----------------------------------------------------------------------------------

    def wait(self, is_so, seconds, what):
        deadline = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what} is not whole after {seconds} s")
            time.sleep(0.2)

    def wait_until_whole(self):
        self.wait(self.database_is_whole, WHOLE, "the database")
        self.wait(self.etcd_is_whole, WHOLE, "etcd")
        self.wait(self.services_are_ready, 60, "the service")

    def etcd_is_whole(self):
        return all(b'"true"' in (get(f"http://{db.address}:2379/health") or b"") for db in self.databases)

    def services_are_ready(self):
        if ended := [name for name, program in self.programs.items() if program.poll() is not None]:
            raise RuntimeError(f"HAProxy ended on {', '.join(ended)}")
        for app in self.apps:
            if (code := self.services[app.name].poll()) is not None:
                self.ended.append(f"the service on {app.name} ended by itself with code {code}")
                self.start_service(app)
        return all(get(f"http://{app.address}:8080/health/ready") for app in self.apps)

    def members(self):
        """The members as Patroni tells of them, by name; a machine that does not answer is not asked again."""
        for db in self.databases:
            if answer := get(f"http://{db.address}:8008/cluster"):
                return {member["name"]: member for member in json.loads(answer)["members"]}
        return {}

    def leader(self, *, but=None):
        """The machine whose server takes writes, if it is another than `but`."""
        for db in self.databases:
            if db is not but and get(f"http://{db.address}:8008/primary"):
                return db
        return None

    def synchronous(self):
        """The machine of a standby that commits wait for."""
        for db in self.databases:
            if any(get(f"http://{db.address}:8008/{role}") for role in ("quorum", "sync")):
                return db
        raise RuntimeError("there is no synchronous standby")

    def database_is_whole(self):
        """True if two standbys stream from one primary, whose commits wait for one of them."""
        if len(self.members()) != 3 or sum(1 for db in self.databases if get(f"http://{db.address}:8008/primary")) != 1:
            return False
        query = """select count(*) filter (where state = 'streaming'),
            count(*) filter (where sync_state in ('sync', 'quorum')) from pg_stat_replication"""
        try:
            return self.leader().run("psql", "-Atc", query, user="postgres").strip() in ("2|1", "2|2")
        except (RuntimeError, AttributeError):
            return False

    def next_leader(self, old):
        self.wait(lambda: self.leader(but=old), 90, "another primary")

    # --- Paying -----------------------------------------------------------------------------------

    def pay(self, name):
        sockets = ",".join(f"{db.folder}/run/postgresql" for db in self.databases)
        url = f"host={sockets} user=ledger password={self.password} dbname=ledger target_session_attrs=read-write"
        command = [self.stage / "bin/daybook-torture", "pay", "--address", f"{self.edge.address}:8080"]
        command += ["--database-url", url, "--client", self.stage / "client.json", "--name", name]
        command += ["--rate", self.options.rate, "--seed", self.options.seed]
        return subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    # --- Events -----------------------------------------------------------------------------------

    def come_back(self, machine):
        machine.boot()
        self.start_etcd(machine)
        self.start_patroni(machine)

    def lost(self):
        """The machine of the primary, with its member of etcd, is lost and comes back when another is primary."""
        old = self.leader()
        old.lose()
        self.next_leader(old)
        time.sleep(5)
        self.come_back(old)

    def lost_and_restart(self):
        """The same, and meanwhile both services are killed and started again, when there is no primary."""
        old = self.leader()
        old.lose()
        time.sleep(3)
        for app in self.apps:
            app.signal("daybook", "KILL")
            self.services[app.name].wait()
        time.sleep(1)
        for app in self.apps:
            self.start_service(app)
        self.next_leader(old)
        time.sleep(5)
        self.come_back(old)

    def isolated(self):
        """Nobody reaches the machine of the primary; what runs there goes on."""
        old = self.leader()
        old.pull_cable()
        self.next_leader(old)
        time.sleep(10)
        old.plug_cable()

    def parted(self):
        """The machine of the primary reaches the services, but neither of the other two of the database."""
        old = self.leader()
        others = [db for db in self.databases if db is not old]
        for other in others:
            old.part(other)
            other.part(old)
        self.next_leader(old)
        time.sleep(10)
        for other in others:
            old.join(other)
            other.join(old)

    def switchover(self):
        """An operator makes the synchronous standby the primary."""
        old, new = self.leader(), self.synchronous()
        names = ["--leader", old.name, "--candidate", new.name]
        old.run("patronictl", "-c", PATRONI, "switchover", "ledger", *names, "--force", user="postgres")
        self.next_leader(old)
        time.sleep(5)

    def standby_lost(self):
        """The machine of the synchronous standby is lost and comes back."""
        lost = self.synchronous()
        lost.lose()
        time.sleep(20)
        self.come_back(lost)

    def standby_isolated(self):
        """Nobody reaches the synchronous standby for a while."""
        lost = self.synchronous()
        lost.pull_cable()
        time.sleep(20)
        lost.plug_cable()

    def restart(self):
        """Both services are stopped and started, one after the other, as for a new release."""
        for app in self.apps:
            app.signal("daybook", "TERM")
            if code := self.services[app.name].wait():
                raise RuntimeError(f"a service that was stopped ended with code {code}")
            self.start_service(app)
            self.wait(self.services_are_ready, 60, "the service")
            time.sleep(2)

    # --- At the end -------------------------------------------------------------------------------

    def audit(self):
        """Verifies the log and what is made of it; yields what is wrong."""
        public = self.kit / "ledger.example.pub"
        checks = [f'log verify --tables --key {public} --anchor {self.stage}/anchor/{app.name}' for app in self.apps]
        for check in [*checks, "ledger trial-balance"]:
            try:
                self.apps[0].run("bash", "-ac", f". /etc/daybook/daybook.env; daybook {check}", user="postgres")
                print(f"daybook {check.split(' --')[0]}: code 0", flush=True)
            except RuntimeError as error:
                yield f"daybook {check}: {error}"
        log = "".join((app.folder / "daybook.log").read_text() for app in self.apps)
        for words in ("may be lost", "panicked", "corrupt"):
            if words in log:
                yield f"a service logged: {next(line for line in log.splitlines() if words in line)}"


def is_open(machine, port):
    """True if a program of the machine listens on its loopback address."""
    try:
        return bool(machine.run("bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo open"))
    except RuntimeError:
        return False


def get(url):
    """The body of a 200, else none."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=1) as answer:
            return answer.read() or b"-"
    except (OSError, urllib.error.URLError, ValueError):
        return None


def table(runs, events):
    head = ["Event", "Runs", "Gap, median", "Longest", "Payments", "503", "without Retry-After", "no answer",
            "other answers", "Lost", "Doubled"]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for event in events:
        of = [run for run in runs if run["event"] == event and "gap_ms" in run]
        if not of:
            continue
        gaps = [run["gap_ms"] / 1000 for run in of]
        counts = [sum(run[name] for run in of) for name in
                  ("asked", "unavailable", "without_retry_after", "unanswered", "lost", "doubled_or_missing")]
        others = sum(sum(run["others"].values()) for run in of)
        counts.insert(4, others)
        lines.append([event, len(of), f"{statistics.median(gaps):.1f} s", f"{max(gaps):.1f} s", *counts])
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def keep(stage, out):
    """Copies every log to a folder."""
    for log in stage.glob("*/*.log"):
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, out / f"{log.parent.name}-{log.name}")


def told(stage):
    """Prints the end of every log."""
    for log in sorted(stage.glob("*/*.log")):
        print(f"--- {log.parent.name} {log.name}", file=sys.stderr)
        print("\n".join(log.read_text(errors="replace").splitlines()[-15:]), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
