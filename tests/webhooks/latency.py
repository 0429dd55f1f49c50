#!/usr/bin/env python3
"""Checks that unavailable receivers do not slow the ledger: p99 of POST trans without and with many of them, in turn.

  latency.py BINARY [--rounds N] [--seconds S] [--rate R] [--dead N] [--within PERCENT]

Each round measures both, in alternating order. The medians over the rounds are compared: the p99 of all calls together
is that of the round with a checkpoint of PostgreSQL."""
import argparse
import asyncio
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

from service import DEV, Connection, Platform, Service

SENDERS = 4
# Pause after a switch until pending calls have ended: longer than a call takes.
SETTLE_S = 2


def percentile(sorted_ms, part):
    return sorted_ms[min(len(sorted_ms) - 1, int(len(sorted_ms) * part))]


async def measure(service, user, options, randomness):
    """Returns the latencies of the POSTs in milliseconds. Calls begin at fixed times, however long others take."""
    took = []
    begun = time.perf_counter() + 0.1

    async def sender(number):
        connection = Connection(service.port)
        for at in range(number, int(options.seconds * options.rate), SENDERS):
            await asyncio.sleep(max(0.0, begun + at / options.rate - time.perf_counter()))
            start = time.perf_counter()
            status, answer = await user.send(connection, randomness)
            took.append((time.perf_counter() - start) * 1000)
            if status != 200:
                raise SystemExit(f"POST trans was answered {status}: {answer.decode()}")

    await asyncio.gather(*(sender(number) for number in range(SENDERS)))
    return sorted(took)


async def main(options):
    service, randomness = Service(options.binary, "1h"), random.Random(1)
    dead = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("dead.py"), str(options.dead)],
                            stdout=subprocess.PIPE)
    try:
        urls = dead.stdout.readline().decode().split()
        await service.start()
        platform = Platform(service.port, DEV)
        user = await platform.user(10)
        scope = ["TRANS|POST", "TRAN|PATCH"]
        subscriptions = [(await platform.subscribe(url, scope))["_id"] for url in urls]
        results = {False: [], True: []}
        pooled = {False: [], True: []}
        print(f"load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores; "
              f"{options.rate:g} POST/s, {options.seconds:g} s each, {options.rounds} rounds, {options.dead} dead")
        for number in range(-1, options.rounds):
            for with_dead in ((False, True) if number % 2 else (True, False)):
                for subscription in subscriptions:
                    await platform.set_active(subscription, with_dead)
                await asyncio.sleep(SETTLE_S)
                took = await measure(service, user, options, randomness)
                # The additional first round is the warm-up.
                if number >= 0:
                    results[with_dead].append(took)
                    pooled[with_dead] += took
                    print(f"round {number + 1} {'dead' if with_dead else 'none'}: p50 {percentile(took, .5):.2f} ms, "
                          f"p99 {percentile(took, .99):.2f} ms, load {os.getloadavg()[0]:.2f}", flush=True)
        for part in (.5, .95, .99):
            none, some = (statistics.median(percentile(took, part) for took in results[key]) for key in (False, True))
            print(f"p{part * 100:g}: none {none:.2f} ms, {options.dead} dead {some:.2f} ms, {(some / none - 1) * 100:+.1f} %")
        none, some = (percentile(sorted(pooled[key]), .99) for key in (False, True))
        print(f"p99 of all together: none {none:.2f} ms, dead {some:.2f} ms, {(some / none - 1) * 100:+.1f} %")
        none, some = (statistics.median(percentile(took, .99) for took in results[key]) for key in (False, True))
        return some <= none * (1 + options.within / 100)
    finally:
        dead.kill()
        service.stop()


parser = argparse.ArgumentParser()
parser.add_argument("binary")
for name, default in (("rounds", 8), ("seconds", 15.0), ("rate", 100.0), ("dead", 100), ("within", 5.0)):
    parser.add_argument(f"--{name}", type=type(default), default=default)
if not asyncio.run(main(parser.parse_args())):
    raise SystemExit("the ledger was slower with dead receivers")
