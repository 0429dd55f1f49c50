"""Attackers. Each runs in its own process until it is killed, and ignores all responses."""
import asyncio
import contextlib
import dataclasses
import json
import random
import resource

FILE = "/docs/swagger-ui-bundle.js"
UNREAD_CONNECTIONS = 1_000
PROVERS = 32
BODIES = 12
BODY_BYTES = 30 << 20
BATCHES = 12
PAPER = "QUJD" * 1_000_000
READERS = 100
SILENT = 150
NONSENSE = 16


@dataclasses.dataclass
class Target:
    """The service, and a user with two nodes on the attackers' platform."""

    port: int
    gateway: dict
    user: dict
    user_id: str
    nodes: list
    paper: str = ""

    async def connect(self, part):
        """Opens a connection from an address that no honest caller uses."""
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(f"127.0.0.{2 + part}", 0))

    def head(self, method, path, headers=(), length=0):
        lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {length}",
                 "content-type: application/json", *(f"{name}: {value}" for name, value in dict(headers).items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    async def call(self, streams, method, path, headers=(), body=None):
        """Sends a request; returns the status and the body of the response."""
        payload = b"" if body is None else json.dumps(body).encode()
        reader, writer = streams
        writer.write(self.head(method, path, headers, len(payload)) + payload)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in head if line.startswith("content-length:"))
        return int(head[0].split()[1]), await reader.readexactly(length)


def attacker(count):
    """Returns a decorator that runs `attack` on `count` concurrent connections and reopens each one that ends."""

    def of(attack):
        async def forever(target, part):
            while True:
                with contextlib.suppress(OSError, EOFError):
                    await attack(target, part, await target.connect(part))
                await asyncio.sleep(0.1)

        async def crowd(target, part):
            await asyncio.gather(*(forever(target, part) for _ in range(count)))

        def run(target, part):
            resource.setrlimit(resource.RLIMIT_NOFILE, (8_192, 8_192))
            asyncio.run(crowd(target, part))

        return run

    return of


@attacker(UNREAD_CONNECTIONS)
async def unread(target, _, streams):
    """Requests a large file and does not read the response."""
    reader, writer = streams
    writer.transport.pause_reading()
    writer.write(target.head("GET", FILE) * 8)
    await asyncio.sleep(3_600)


@attacker(PROVERS)
async def proofs(target, _, streams):
    """Requests consistency proofs without end."""
    while True:
        checkpoint = (await target.call(streams, "GET", "/audit/checkpoint"))[1].decode().split("\n")
        size = int(checkpoint[1]) if len(checkpoint) > 1 and checkpoint[1].isdigit() else 2
        for _ in range(50):
            at = random.randint(1, size)
            await target.call(streams, "GET", f"/audit/consistency?from={at}&to={size}")


@attacker(BODIES)
async def bodies(target, _, streams):
    """Sends a body of 30 MiB except for its last byte."""
    reader, writer = streams
    path = f"/v3.1/users/{target.user_id}/nodes/{target.nodes[0]}/trans"
    writer.write(target.head("POST", path, target.user, BODY_BYTES + 1))
    for _ in range(BODY_BYTES >> 20):
        writer.write(b" " * (1 << 20))
        await writer.drain()
    await reader.read()


def transfer(target, **more):
    amount = {"amount": 0.01, "currency": "USD"}
    return {"to": {"type": "DEPOSIT-US", "id": target.nodes[1]}, "amount": amount, "extra": {"ip": "127.0.0.1", **more}}


@attacker(BATCHES)
async def batches(target, _, streams):
    """Creates batches of a hundred transactions without end."""
    path = f"/v3.1/users/{target.user_id}/nodes/{target.nodes[0]}/batch-trans"
    while True:
        await target.call(streams, "POST", path, target.user, {"transactions": [transfer(target)] * 100})


@attacker(READERS)
async def papers(target, _, streams):
    """Reads an attachment of 4 MB without end; the first connection creates it with a transaction."""
    path = f"/v3.1/users/{target.user_id}/nodes/{target.nodes[0]}/trans"
    if not target.paper:
        target.paper = "under way"
        body = transfer(target, other={"attachments": [f"data:application/pdf;base64,{PAPER}"]})
        made = json.loads((await target.call(streams, "POST", path, target.user, body))[1])
        target.paper = "/v3.1" + made["extra"]["other"]["attachments"][0].split("/v3.1")[1]
    while not target.paper.startswith("/"):
        await asyncio.sleep(0.1)
    while True:
        await target.call(streams, "GET", target.paper, target.user)


def silent(target, part):
    """Subscribes receivers that accept calls and never respond, and causes calls to them."""

    async def hole(reader, _):
        while await reader.read(65_536):
            pass

    async def crowd():
        server = await asyncio.start_server(hole, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        streams = await target.connect(part)
        for _ in range(SILENT):
            body = {"url": url, "scope": ["TRANS|POST"]}
            await target.call(streams, "POST", "/v3.1/subscriptions", target.gateway, body)
        path = f"/v3.1/users/{target.user_id}/nodes/{target.nodes[0]}/trans"
        while True:
            await target.call(streams, "POST", path, target.user, transfer(target))
            await asyncio.sleep(0.1)

    asyncio.run(crowd())


@attacker(NONSENSE)
async def malformed(target, _, streams):
    """Sends a malformed request head."""
    reader, writer = streams
    writer.write(b"GET / HTTP/9.9\x00\r\n\r\n")
    await reader.read()
    writer.close()


ATTACKERS = {
    "unread": unread, "proofs": proofs, "bodies": bodies, "batches": batches, "papers": papers, "silent": silent,
    "malformed": malformed,
}
