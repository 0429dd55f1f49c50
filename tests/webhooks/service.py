"""A real `daybook dev` in its own folder, and the calls of a platform."""
import asyncio
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

READY_WITHIN_S = 120


def free_port():
    """Returns a port that is free at this time."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    """The process. `kill` ends it like a crash; `start` starts it again on the same data."""

    def __init__(self, binary, settle_after):
        self.binary, self.settle_after = binary, settle_after
        self.folder = tempfile.TemporaryDirectory(prefix="daybook-webhooks-")
        # As root, PostgreSQL runs under another account, which must be able to enter this folder.
        os.chmod(self.folder.name, 0o711)
        self.data, self.port, self.process = f"{self.folder.name}/data", free_port(), None

    def run(self, *args):
        """Runs a command of the same binary; returns its output."""
        done = subprocess.run([self.binary, *args, "--data-dir", self.data], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    async def start(self):
        log = open(f"{self.folder.name}/daybook.log", "ab")
        args = ["dev", "--settle-after", self.settle_after, "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen([self.binary, *args, "--data-dir", self.data], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_WITHIN_S
        while True:
            try:
                if (await Connection(self.port).call("GET", "/health/ready"))[0] == 200:
                    return
            except (OSError, asyncio.IncompleteReadError):
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"daybook is not ready: {self.log()[-2000:]}")
            await asyncio.sleep(0.1)

    def kill(self):
        """Sends kill -9: the process cannot clean up. PostgreSQL keeps running, like that of a real service."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends the process and its PostgreSQL, and removes the folder."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.folder.cleanup()

    def log(self):
        return pathlib.Path(f"{self.folder.name}/daybook.log").read_text(errors="replace")


class Connection:
    """A persistent connection to the service; opened when needed."""

    def __init__(self, port):
        self.port, self.streams = port, None

    async def call(self, method, path, headers=(), body=None):
        """Sends a request; returns the status and the body of the response."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        payload = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {len(payload)}"]
        lines += ["content-type: application/json", *(f"{name}: {value}" for name, value in dict(headers).items())]
        try:
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + payload)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            length = next(int(line.split(":")[1]) for line in head if line.startswith("content-length:"))
            return int(head[0].split()[1]), await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            self.streams = None
            writer.close()
            raise

    async def json(self, method, path, headers=(), body=None):
        """Sends a request; returns the JSON of a response with status 200. Another status ends the program."""
        status, answer = await self.call(method, path, headers, body)
        if status != 200:
            raise SystemExit(f"{method} {path} was answered {status}: {answer.decode()}")
        return json.loads(answer)


class Platform:
    """A platform that creates subscriptions and users."""

    def __init__(self, port, credentials):
        self.connection, self.credentials = Connection(port), credentials
        self.gateway = {"x-sp-gateway": "{client_id}|{client_secret}".format(**credentials)}
        self.gateway["x-sp-user-ip"] = "127.0.0.1"

    async def subscribe(self, url, scope):
        return await self.connection.json("POST", "/v3.1/subscriptions", self.gateway, {"url": url, "scope": scope})

    async def set_active(self, subscription, is_active):
        path = f"/v3.1/subscriptions/{subscription}"
        await self.connection.json("PATCH", path, self.gateway, {"is_active": is_active})

    async def user(self, nodes):
        """Creates a verified user with a number of nodes, each with 1,000,000 USD; returns a `User`."""
        call, person = self.connection.json, {
            "logins": [{"email": "ada@example.com"}], "phone_numbers": ["555-0100"], "legal_names": ["Ada Lovelace"],
        }
        made = await call("POST", "/v3.1/users", self.gateway, person)
        allow = {"permission": "SEND-AND-RECEIVE"}
        await call("POST", f"/v3.1/sandbox/users/{made['_id']}/verify", self.gateway, allow)
        token = {"refresh_token": made["refresh_token"]}
        key = await call("POST", f"/v3.1/oauth/{made['_id']}", self.gateway, token)
        user = User(made["_id"], {"x-sp-user": f"{key['oauth_key']}|", "x-sp-user-ip": "127.0.0.1"}, [])
        for _ in range(nodes):
            node = {"type": "DEPOSIT-US", "info": {"nickname": "Torture"}}
            node = (await call("POST", f"/v3.1/users/{user.id}/nodes", user.headers, node))["nodes"][0]["_id"]
            money = {"amount": {"amount": 1_000_000, "currency": "USD"}}
            await call("POST", f"/v3.1/sandbox/nodes/{node}/credit", self.gateway, money)
            user.nodes.append(node)
        return user


class User:
    """A user that sends money from one of its nodes to another."""

    def __init__(self, user_id, headers, nodes):
        self.id, self.headers, self.nodes = user_id, headers, nodes

    async def send(self, connection, random, key=None):
        """Creates a transaction of one cent; returns the status and the body of the response."""
        sender, receiver = random.sample(self.nodes, 2)
        body = {"to": {"type": "DEPOSIT-US", "id": receiver}, "amount": {"amount": 0.01, "currency": "USD"},
                "extra": {"ip": "127.0.0.1"}}
        headers = {**self.headers, **({"x-sp-idempotency-key": key} if key else {})}
        path = f"/v3.1/users/{self.id}/nodes/{sender}/trans"
        return await connection.call("POST", path, headers, body)


DEV = {"client_id": "client_id_dev", "client_secret": "client_secret_dev"}
