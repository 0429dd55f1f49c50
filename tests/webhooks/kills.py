#!/usr/bin/env python3
"""Checks that every event is delivered at least once, in order and signed, while the service is killed repeatedly.

  kills.py BINARY [--calls N] [--seed S]

Four subscriptions of three platforms receive all events. The receiver refuses one call in ten. The process is killed
with -9 at random times, during and after the payments. The expected events are read from the log at the end,
independently of the delivery. The published package of Standard Webhooks verifies each signature on arrival, because it
refuses calls that are five minutes old. The same seed kills after the same pauses and refuses the same calls."""
import argparse
import asyncio
import json
import random
import subprocess
import time
from collections import Counter, defaultdict

from standardwebhooks import Webhook, WebhookVerificationError

from service import DEV, Connection, Platform, Service

SCOPE = ["USERS|POST", "USER|PATCH", "NODES|POST", "NODE|PATCH", "NODE|DELETE", "TRANS|POST", "TRAN|PATCH"]
# Events of docs/reference/webhooks.md that occur in this test.
TOLD = {"user.created", "user.permission_set", "user.verified", "node.created", "transaction.created",
        "transaction.debit_started", "transaction.credit_started", "transaction.settled"}
# Number of events of a payment.
EVENTS_OF_ONE = 4
REFUSED = 0.1
PAUSE_S = (0.3, 4.0)
SENDERS = 3
# The lease of a lane of a killed process expires after a minute.
PATIENCE_S = 240


class Receiver:
    """Records every call, and refuses one in ten, chosen by the seed."""

    def __init__(self, seed):
        self.seed, self.heard, self.secrets, self.times = seed, [], {}, Counter()

    async def listen(self):
        server = await asyncio.start_server(self.hear, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def hear(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.split(": ", 1) for line in head[1:] if line)
            headers = {name.lower(): value for name, value in headers.items()}
            body = (await reader.readexactly(int(headers["content-length"]))).decode()
        except (OSError, asyncio.IncompleteReadError):
            # The service was killed before it had sent the whole request.
            return writer.close()
        to = head[0].split()[1].strip("/")
        event = (to, headers["webhook-id"])
        self.times[event] += 1
        is_taken = random.Random(f"{self.seed} {event} {self.times[event]}").random() >= REFUSED
        self.heard.append((to, headers["webhook-id"], json.loads(body), is_taken, self.is_signed(to, body, headers)))
        try:
            writer.write(b"HTTP/1.1 %d -\r\ncontent-length: 0\r\n\r\n" % (200 if is_taken else 500))
            await writer.drain()
        except OSError:
            pass
        writer.close()

    def is_signed(self, to, body, headers):
        try:
            return Webhook(self.secrets[to]).verify(body, headers) == json.loads(body)
        except WebhookVerificationError:
            return False


class Impatient:
    """Shortens delays of minutes or hours to seconds: three days are too long for a test."""

    def __init__(self, data):
        self.command = ["psql", "-qX", "-h", f"{data}/socket", "-U", "daybook", "-d", "daybook", "-At", "-c"]

    def query(self, statement):
        return subprocess.run([*self.command, statement], stdout=subprocess.PIPE, check=True).stdout.decode()

    def hurry(self):
        soon = "now() + interval '5 s'"
        self.query(f"update webhook_lane set due_at = {soon} where attempts > 0 and due_at > {soon}")

    def waiting(self):
        return int(self.query("select count(*) from webhook_lane"))


async def pay(service, user, payments, randomness):
    """Makes payments across crashes, each with its own idempotency key until it is answered."""
    connection = Connection(service.port)
    for number in range(payments):
        key, sure = f"{user.id}-{randomness.random()}", False
        while not sure:
            try:
                status, answer = await user.send(connection, randomness, key)
                sure = status in (200, 409)
                if not sure and status != 503:
                    raise SystemExit(f"POST trans was answered {status}: {answer.decode()}")
            except (OSError, asyncio.IncompleteReadError):
                pass
            if not sure:
                await asyncio.sleep(0.2)
        await asyncio.sleep(0.02)


async def kill(service, kills, randomness, until):
    """Kills the service at random times until `until` returns true; appends the times to `kills`."""
    while not until():
        await asyncio.sleep(randomness.uniform(*PAUSE_S))
        service.kill()
        kills.append(time.monotonic())
        await service.start()


def check(service, receiver, subscriptions):
    """Compares the deliveries with the log; returns the figures."""
    expected = defaultdict(list)
    for line in service.run("log", "tail", "--after", "0", "--json").splitlines():
        event = json.loads(line)
        for to, (since, platform) in subscriptions.items():
            if event["platform"] == platform and event["position"] > since and event["type"] in TOLD:
                expected[to, event["stream"]].append(event["position"])
    first, ids = defaultdict(list), {}
    for to, event_id, body, is_taken, _ in receiver.heard:
        ids.setdefault((to, body["position"]), set()).add(event_id)
        record = first[to, body["_id"]["$oid"]]
        if is_taken and body["position"] not in record:
            record.append(body["position"])
    events = sum(map(len, expected.values()))
    return {
        "events": events,
        "calls": len(receiver.heard),
        "refused": sum(not heard[3] for heard in receiver.heard),
        "duplicates": sum(heard[3] for heard in receiver.heard) - sum(map(len, first.values())),
        "lost": sum(len(set(all_) - set(first[lane])) for lane, all_ in expected.items()),
        "not asked for": sum(len(set(all_) - set(expected[lane])) for lane, all_ in list(first.items())),
        "out of order": sum(all_ != sorted(all_) for all_ in first.values()),
        "two ids for one event": sum(len(known) > 1 for known in ids.values()),
        "bad signatures": sum(not heard[4] for heard in receiver.heard),
    }


async def main(options):
    randomness, service, receiver = random.Random(options.seed), Service(options.binary, "1s"), Receiver(options.seed)
    print(f"seed {options.seed}", flush=True)
    begun = time.monotonic()
    try:
        await service.start()
        made = [json.loads(service.run("client", "create", name, "--sandbox", "--json")) for name in ("Acme", "Bolt")]
        platforms = [Platform(service.port, credentials) for credentials in (DEV, *made)]
        port, subscriptions, impatient = await receiver.listen(), {}, Impatient(service.data)
        for number, platform in enumerate((platforms[0], *platforms)):
            subscription = await platform.subscribe(f"http://127.0.0.1:{port}/{number}", SCOPE)
            receiver.secrets[str(number)] = subscription["secret"]
            made = json.loads(service.run("log", "tail", "--stream", subscription["_id"], "--after", "0", "--json"))
            subscriptions[str(number)] = (made["position"], made["platform"])
        users = [await platform.user(4) for platform in platforms]
        # The first platform's events are delivered to two subscriptions.
        payments = options.calls // EVENTS_OF_ONE // len(subscriptions) // SENDERS
        payers = [asyncio.create_task(pay(service, user, payments, random.Random(f"{options.seed} {user.id} {number}")))
                  for user in users for number in range(SENDERS)]
        kills = []
        killer = asyncio.create_task(kill(service, kills, randomness, lambda: all(payer.done() for payer in payers)))
        await asyncio.gather(*payers)
        await killer
        # One more kill after the last payment, when only deliveries are pending.
        await asyncio.sleep(randomness.uniform(0, 2))
        service.kill()
        kills.append(time.monotonic())
        await service.start()
        deadline, idle = time.monotonic() + PATIENCE_S, 0
        while idle < 5 and time.monotonic() < deadline:
            await asyncio.sleep(1)
            impatient.hurry()
            idle = idle + 1 if impatient.waiting() == 0 else 0
        figures = {"kills": len(kills), **check(service, receiver, subscriptions), "lanes left": impatient.waiting()}
    finally:
        service.stop()
    print(", ".join(f"{name} {figure}" for name, figure in figures.items()), f"in {time.monotonic() - begun:.0f} s")
    bad = ("lost", "not asked for", "out of order", "two ids for one event", "bad signatures", "lanes left")
    if figures["events"] == 0 or any(figures[name] for name in bad):
        raise SystemExit(f"seed {options.seed}: a promise was not kept")


parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--calls", type=int, default=10_000)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
asyncio.run(main(parser.parse_args()))
