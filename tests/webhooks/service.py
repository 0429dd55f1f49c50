"""A real `daybook dev` in a folder of its own, and what a platform asks of it."""
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
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    """The process; `kill` ends it as a crash does, `start` begins it again on what it left."""

    def __init__(self, binary, settle_after):
        self.binary, self.settle_after = binary, settle_after
        self.folder = tempfile.TemporaryDirectory(prefix="daybook-webhooks-")
        # As root, PostgreSQL runs under another account, which has to get through.
        os.chmod(self.folder.name, 0o711)
        self.data, self.port, self.process = f"{self.folder.name}/data", free_port(), None

    def run(self, *args):
        """What a command of the same binary prints."""
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
        """kill -9: nothing is said, nothing is put away. PostgreSQL stays, as that of a real service does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends it and its PostgreSQL, and removes all."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.folder.cleanup()

    def log(self):
        return pathlib.Path(f"{self.folder.name}/daybook.log").read_text(errors="replace")


class Connection:
    """A connection to the service that is kept; opened when it is needed."""

    def __init__(self, port):
        self.port, self.streams = port, None

    async def call(self, method, path, headers=(), body=None):
        """The status and the bytes of the answer."""
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
        """The JSON of a 200."""
        status, answer = await self.call(method, path, headers, body)
        if status != 200:
            raise SystemExit(f"{method} {path} was answered {status}: {answer.decode()}")
        return json.loads(answer)


class Platform:
    """A platform with a user who may send, and that user's nodes."""

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
        """A user with so many nodes, each with a lot of money; answers a `User`."""
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
    """Who sends from one of its nodes to another."""

    def __init__(self, user_id, headers, nodes):
        self.id, self.headers, self.nodes = user_id, headers, nodes

    async def send(self, connection, random, key=None):
        """Creates a transaction of a cent; answers the status."""
        sender, receiver = random.sample(self.nodes, 2)
        body = {"to": {"type": "DEPOSIT-US", "id": receiver}, "amount": {"amount": 0.01, "currency": "USD"},
                "extra": {"ip": "127.0.0.1"}}
        headers = {**self.headers, **({"x-sp-idempotency-key": key} if key else {})}
        path = f"/v3.1/users/{self.id}/nodes/{sender}/trans"
        return await connection.call("POST", path, headers, body)


DEV = {"client_id": "client_id_dev", "client_secret": "client_secret_dev"}
