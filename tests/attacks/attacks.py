#!/usr/bin/env python3
"""Measures attacks: the latency and the failed calls of an honest caller of another platform, and the service's memory.

  attacks.py BINARY [--seconds S] [--rate R] [--only unread,proofs,bodies,batches,papers,silent,malformed] [--json]

Each attack runs against its own service, a `daybook dev` on an empty ledger. An honest caller makes payments at fixed
times, first alone, then during the attack. Attackers are processes on the same host with their own addresses, so they
also compete with the service for cores. No other program should run at the same time."""
import argparse
import asyncio
import json
import multiprocessing
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "webhooks"))
from service import DEV, Connection, Platform, Service  # noqa: E402

from attackers import ATTACKERS, Target  # noqa: E402
from receiver import Receiver  # noqa: E402

SENDERS = 4
# Pause until the attackers are connected.
PAUSE_S = 2
# A payment that is not delivered within this time after the end counts as not delivered.
TOLD_WITHIN_S = 30


def memory_mib(pid):
    """Returns the resident memory of a process in MiB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


async def pay(service, user, receiver, options):
    """Makes payments at fixed times, however long responses take. Returns latencies in ms, failures and peak memory."""
    took, failed, peak, randomness = [], 0, 0.0, random.Random(1)
    begun = time.perf_counter() + 0.1

    async def sender(number):
        nonlocal failed, peak
        connection = Connection(service.port)
        for at in range(number, int(options.seconds * options.rate), SENDERS):
            await asyncio.sleep(max(0.0, begun + at / options.rate - time.perf_counter()))
            start = time.perf_counter()
            try:
                status, answer = await asyncio.wait_for(user.send(connection, randomness), 60)
                if status == 200:
                    receiver.expect(json.loads(answer)["_id"])
            except (OSError, EOFError, TimeoutError):
                status, connection = 0, Connection(service.port)
            took.append((time.perf_counter() - start) * 1000)
            failed += status != 200
            peak = max(peak, memory_mib(service.process.pid))

    await asyncio.gather(*(sender(number) for number in range(SENDERS)))
    return {"median_ms": statistics.median(took), "worst_ms": max(took), "failed": failed, "calls": len(took),
            "memory_mib": peak}


async def told(receiver):
    """Waits for pending deliveries. Returns their delays after the payments in ms, and the number of missing ones."""
    deadline = time.monotonic() + TOLD_WITHIN_S
    while receiver.missing() and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    delays = receiver.delays_ms() or [float('nan')]
    return {"told_median_ms": statistics.median(delays), "told_worst_ms": max(delays), "not_told": receiver.missing()}


async def measure(binary, name, options):
    """Measures an honest caller alone, and during the attack `name`."""
    service, receiver = Service(binary, "1h"), Receiver()
    try:
        await service.start()
        credentials = json.loads(service.run("client", "create", "Attacker", "--sandbox", "--json"))
        honest, attacker = Platform(service.port, DEV), Platform(service.port, credentials)
        payer, theirs = await honest.user(4), await attacker.user(2)
        await honest.subscribe(await receiver.listen(), ["TRANS|POST"])
        phases = {"quiet": {**await pay(service, payer, receiver, options), **await told(receiver)}}
        receiver.forget()
        target = Target(service.port, attacker.gateway, theirs.headers, theirs.id, theirs.nodes)
        processes = [multiprocessing.Process(target=ATTACKERS[name], args=(target, part), daemon=True) for part in range(2)]
        begun = len(service.log())
        for process in processes:
            process.start()
        await asyncio.sleep(PAUSE_S)
        phases["attack"] = {**await pay(service, payer, receiver, options), **await told(receiver)}
        alive = [process.is_alive() for process in processes]
        for process in processes:
            process.kill()
            process.join()
        if not all(alive):
            raise SystemExit(f"{name}: an attacker ended early")
        phases["attack"]["log_bytes"] = len(service.log()) - begun
        return phases
    finally:
        service.stop()


def row(name, phase, figures):
    cells = [f"{figures['median_ms']:.1f}", f"{figures['worst_ms']:.0f}", f"{figures['failed']}/{figures['calls']}",
             f"{figures['told_median_ms']:.0f}", f"{figures['told_worst_ms']:.0f}", f"{figures['not_told']}",
             f"{figures['memory_mib']:.0f}", f"{figures.get('log_bytes', 0)}"]
    return f"| {name} | {phase} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each phase")
    parser.add_argument("--rate", type=float, default=40.0, help="payments a second of the honest caller")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(ATTACKERS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.only) - set(ATTACKERS):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    binary = str(options.binary.resolve())
    if not options.json:
        print("| Attack | Caller | median ms | worst ms | failed | told median ms | told worst ms | not told | MiB | log bytes |")
        print("|---|---|---|---|---|---|---|---|---|---|")
    found = {}
    for name in options.only:
        found[name] = asyncio.run(measure(binary, name, options))
        for phase, figures in found[name].items():
            if not options.json:
                print(row(name, phase, figures), flush=True)
    if options.json:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
