"""Machines of one kernel: each has a network, a process and a mount namespace of its own, and a cable to a bridge.

A machine that is lost is silent: its cable is pulled, then the kernel kills all its processes at once. Its disk stays.
Nothing here knows the programs of a machine.
"""

import os
import pathlib
import shutil
import subprocess

NETWORK = "10.0.0"
# Folders that a machine has for itself, beside a copy of /etc: they are its disk.
DISK = ("/var/lib/postgresql", "/var/lib/etcd")


def sh(*command, **options):
    """Runs a command to its end and returns what it printed; an error if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: code {done.returncode}: {done.stdout.strip()}")
    return done.stdout


def wire():
    """Makes the bridge. The caller's own address on it is 10.0.0.1."""
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "cables", "type", "bridge")
    sh("ip", "addr", "add", f"{NETWORK}.1/24", "dev", "cables")
    sh("ip", "link", "set", "cables", "up")


class Machine:
    """A machine with a name, an address, and a folder for its disk."""

    def __init__(self, stage, name, number):
        self.name, self.address = name, f"{NETWORK}.{number}"
        self.folder = pathlib.Path(stage) / name
        # Address of the link layer that no machine has.
        self.nobody = f"02:00:00:00:ff:{number:02x}"
        self.first = None
        self.logs = {}
        self.folder.mkdir()
        for path in DISK:
            made = self.folder / path.strip("/").replace("/", "-")
            made.mkdir()
            shutil.chown(made, "postgres", "postgres")
        shutil.copytree("/etc", self.folder / "etc", symlinks=True)
        (self.folder / "etc/daybook").mkdir(exist_ok=True)

    def boot(self):
        """Starts the machine with nothing but a cable; its disk is as it was."""
        run = self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir()
        (run / "postgresql").mkdir()
        (run / "haproxy").mkdir()
        shutil.chown(run / "postgresql", "postgres", "postgres")
        binds = [("etc", "/etc"), ("run", "/run")] + [(path.strip("/").replace("/", "-"), path) for path in DISK]
        mounts = " && ".join(f"mount --bind {self.folder}/{source} {target}" for source, target in binds)
        # The shell reaps; the line tells that the namespaces are there.
        script = f"{mounts} && ip link set lo up && echo up && sleep infinity; exit 1"
        command = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c"]
        log = open(self.folder / "machine.log", "a")
        self.first = subprocess.Popen([*command, script], stdout=subprocess.PIPE, stderr=log, text=True)
        if self.first.stdout.readline() != "up\n":
            raise RuntimeError(f"{self.name} does not boot")
        children = pathlib.Path(f"/proc/{self.first.pid}/task/{self.first.pid}/children")
        self.pid = int(children.read_text().split()[0])
        sh("ip", "link", "add", f"to-{self.name}", "type", "veth", "peer", "name", "eth0", "netns", str(self.pid))
        sh("ip", "link", "set", f"to-{self.name}", "master", "cables", "up")
        self.run("ip", "addr", "add", f"{self.address}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")

    def inside(self, *command, user=None, folder="/tmp"):
        """The command that runs `command` on the machine, in `folder`."""
        enter = ["nsenter", "--target", str(self.pid), "--net", "--mount", "--pid"]
        become = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"] if user else []
        # Variables of the account that runs the test do not belong to a machine.
        bare = ["env", "-i", "-C", str(folder), "LANG=C.UTF-8", "HOME=/tmp"]
        bare.append(f"PATH={self.folder.parent}/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        return enter + become + bare + list(map(str, command))

    def run(self, *command, user=None):
        """Runs a command on the machine to its end and returns what it printed."""
        return sh(*self.inside(*command, user=user))

    def start(self, name, *command, user="postgres"):
        """Starts a program that stays; its process id on the machine is in /run."""
        log = open(self.folder / f"{name}.log", "a")
        script = 'echo $$ >"/run/$0.pid"; exec "$@"'
        pid = self.folder / "run" / f"{name}.pid"
        pid.touch()
        if user:
            shutil.chown(pid, user, user)
        command = self.inside("bash", "-c", script, name, *command, user=user)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def signal(self, name, signal):
        """Sends a signal to a program that `start` started."""
        pid = (self.folder / "run" / f"{name}.pid").read_text().strip()
        self.run("kill", f"-{signal}", pid)

    def pull_cable(self):
        sh("ip", "link", "set", f"to-{self.name}", "down")

    def plug_cable(self):
        sh("ip", "link", "set", f"to-{self.name}", "up")

    def lose(self):
        """Loses the machine: nobody gets as much as a reset from it."""
        self.pull_cable()
        os.kill(self.pid, 9)
        self.first.wait()
        sh("ip", "link", "del", f"to-{self.name}")

    def part(self, other):
        """Drops silently what this machine sends to `other`: frames go to an address that nobody has."""
        self.run("ip", "neigh", "replace", other.address, "lladdr", self.nobody, "nud", "permanent", "dev", "eth0")

    def join(self, other):
        """Undoes `part`."""
        self.run("ip", "neigh", "del", other.address, "dev", "eth0")
