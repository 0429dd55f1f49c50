#!/usr/bin/env python3
"""Measures how cost grows with the log, with nodes, for uncached users, and while a snapshot is held open.

  growth.py BINARY [--events 100000,1000000] [--nodes 1000,10000,100000] [--only events,nodes,cold,snapshot] [--quick]

Each part has its own embedded PostgreSQL in a folder below --folder, which must be on a disk. Figures go into
growth.json, tables.md and *.svg of --out; parts that --only leaves out stay unchanged. No other program should run at
the same time."""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import time

import measures
import report

MEASURES = {"events": measures.by_events, "nodes": measures.by_nodes, "cold": measures.cold,
            "snapshot": measures.snapshot}
# Small sizes to check that everything works; the figures mean nothing.
QUICK = {"events": [20_000, 50_000], "nodes": [400, 1_000], "append": 10_000, "rounds": 2, "people": 5, "gets": 200,
         "cold": 100, "out": "target/growth"}


def sizes(text):
    return sorted(int(float(size)) for size in text.split(","))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--events", type=sizes, default=sizes("1e5,1e6"), help="sizes of the log")
    parser.add_argument("--nodes", type=sizes, default=sizes("1e3,1e4,1e5"), help="the first is that of other parts")
    parser.add_argument("--append", type=int, default=100_000, help="events of each append that is measured")
    parser.add_argument("--rounds", type=int, default=3, help="starts and appends that medians are of")
    parser.add_argument("--people", type=int, default=30, help="whose transactions and nodes are read")
    parser.add_argument("--gets", type=int, default=2_000, help="of each kind that is read")
    parser.add_argument("--cold", type=int, default=1_000, help="users, and as many nodes, that are read once")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(MEASURES))
    parser.add_argument("--folder", default="/var/tmp", help="where databases are made")
    parser.add_argument("--out", default="docs/growth")
    parser.add_argument("--quick", action="store_true", help="small sizes, into target/growth")
    given = parser.parse_args()
    if given.quick:
        given = argparse.Namespace(**{**vars(given), **QUICK})
    unknown = set(given.only) - set(MEASURES)
    if unknown or not shutil.which("psql"):
        parser.error(f"there is no {', '.join(unknown)}" if unknown else "psql is missing")
    given.binary, begun = str(given.binary.resolve()), time.monotonic()
    given.tell = lambda what: print(f"{time.monotonic() - begun:5.0f} s  {what}", flush=True)
    return given


def conditions(given):
    """Returns the conditions under which a part is measured."""
    told = {name: value for name, value in vars(given).items() if name in QUICK and name != "out"}
    today, load = datetime.date.today().isoformat(), round(os.getloadavg()[0], 2)
    return {"date": today, "cores": os.cpu_count(), "load": load, **told}


def stop(*_):
    # Every `with` stops the processes that it started.
    raise SystemExit("stopped")


def main():
    given = options()
    for wish in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(wish, stop)
    out = pathlib.Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "growth.json"
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.only:
        under = conditions(given)
        figures[name] = {"conditions": under, "figures": MEASURES[name](given)}
        # Written after each part, so that an interrupted run keeps its figures.
        kept.write_text(json.dumps(figures, indent=1) + "\n")
        report.write(figures, out)
    given.tell(f"done: {out}/tables.md")
    print((out / "tables.md").read_text())


if __name__ == "__main__":
    main()
