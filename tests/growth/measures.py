"""Measurements. Each function grows or opens databases, and returns figures that can be stored as JSON."""
import statistics

import reads
from service import Data, Server

# Nodes of each user that `daybook-bench load` creates.
NODES_EACH = 4
# Events that creating a node and its share of a user adds to the log, rounded up.
EVENTS_OF_A_NODE = 6
# Number of events in the log before nodes or a snapshot are measured.
BASE = 100_000
REBUILT = ("balances", "entries")
# Number of parts of an append that are measured separately.
PARTS = 5
# The first start after the files were evicted from memory, and the next start.
COLD = ("just started, files on the disk", "just started, files in memory")


def moment(samples, column, position):
    """Returns the time at which the head (1) or the read models (2) reached `position`, by linear interpolation."""
    before = samples[0]
    if before[column] > position:
        raise ValueError(f"position {position} was reached before anybody looked")
    for sample in samples:
        if sample[column] >= position:
            done, whole = position - before[column], sample[column] - before[column]
            return before[0] + (sample[0] - before[0]) * (done / whole if whole > 0 else 1)
        before = sample
    raise ValueError(f"position {position} was never seen")


def pace(samples, column, low, high):
    """Returns the events per second between two positions."""
    return (high - low) / (moment(samples, column, high) - moment(samples, column, low))


def median(values):
    return statistics.median(values)


class Appender:
    """Appends the same number of events repeatedly; the credits at the beginning of each load are not measured."""

    def __init__(self, data, nodes, options):
        self.data, self.nodes, self.options = data, nodes, options
        head = data.load(1, nodes)
        self.settling = data.load(head + 1, nodes) - head

    def once(self, hold=False):
        """Appends once, within `postgres`. Returns the rates of log, read models and parts, and the memory."""
        head = self.data.load(1, self.nodes)
        count = self.options.append
        printed, rate, peak, samples = self.data.append(head + self.settling + count, self.nodes, hold)
        high = printed["events"]
        edges = [high - count + count * part // PARTS for part in range(PARTS + 1)]
        parts = {name: [pace(samples, column, *pair) for pair in zip(edges, edges[1:])]
                 for name, column in (("append", 1), ("read models", 2))}
        shown = count / (moment(samples, 2, high) - moment(samples, 1, edges[0]))
        return {"append": rate, "read models": shown, "parts": parts, "peak_mib": peak}

    def rounds(self):
        with self.data.postgres():
            done = [self.once() for _ in range(self.options.rounds)]
        return {
            "append_per_s": median([one["append"] for one in done]),
            "append_spread": [min(one["append"] for one in done), max(one["append"] for one in done)],
            "read_models_per_s": median([one["read models"] for one in done]),
            "loader_peak_mib": max(one["peak_mib"] for one in done),
        }


def served(data, options):
    """Measures starts, memory and reads on an existing database."""
    with Server(data):
        data.borrow()
    starts = []
    for number in range(options.rounds):
        with Server(data) as server:
            starts.append(server.start_s)
            if number + 1 == options.rounds:
                memory = server.memory_mib()
                connection = reads.Connection(server.port)
                asked = reads.questions(connection, data.credentials, options.people)
                took = reads.latencies(connection, asked, options.gets)
                figures = {"start_s": median(starts), "memory_mib": memory, "reads": took,
                           "memory_after_reads_mib": server.memory_mib(), **data.sizes()}
                data.give_back()
    return figures


def by_events(options):
    """Measures one database that grows from size to size."""
    points = []
    with Data(options.binary, options.folder) as data:
        for size in options.events:
            options.tell(f"events: growing to {size:,}")
            data.load(size, options.nodes[0])
            point = served(data, options)
            options.tell(f"events: rebuilds and appends at {point['events']:,}")
            point["rebuild_s_per_million"] = {}
            for name in REBUILT:
                told = data.run("projection", "rebuild", name)[1]["rebuild"]
                data.run("projection", "drop", name)
                point["rebuild_s_per_million"][name] = 1e6 / told["events_per_second"]
            point.update(Appender(data, options.nodes[0], options).rounds())
            points.append(point)
    return points


def by_nodes(options):
    """Measures databases with the same number of events and increasing numbers of nodes."""
    points = []
    base = max(min(BASE, options.events[-1]), options.nodes[-1] * EVENTS_OF_A_NODE)
    for nodes in options.nodes:
        options.tell(f"nodes: {nodes:,} of them, and {base:,} events")
        with Data(options.binary, options.folder) as data:
            data.load(base, nodes)
            figures = served(data, options)
            points.append({"nodes": nodes, **figures, **Appender(data, nodes, options).rounds()})
    return points


def cold(options):
    """Measures first reads of users and nodes, each of another user, and repeats them."""
    figures, memory, warm = {}, {}, {}
    with Data(options.binary, options.folder) as data:
        options.tell(f"cold: {2 * options.cold:,} people, each with keys of their own")
        # Half of the users are read themselves, half through a node, so neither half caches keys of the other. Some are
        # spare.
        data.load(1, (2 * options.cold + reads.PER_PAGE) * NODES_EACH)
        with Server(data):
            data.borrow()
        with Server(data) as server:
            asked = strangers(reads.Connection(server.port), data.credentials, options.cold)
        data.evict()
        for state in COLD:
            with Server(data) as server:
                connection, before = reads.Connection(server.port), server.memory_mib()
                figures[state] = summaries(ask(connection, asked))
                memory[state] = [before, server.memory_mib()]
                again = ask(connection, asked)
                warm = {kind: warm.get(kind, []) + took for kind, took in again.items()}
    figures["asked before"] = summaries(warm)
    return {"took": figures, "memory_mib": memory}


def strangers(connection, credentials, count):
    """Returns {kind: [(path, headers), …]}, one entry per user."""
    found, asked = reads.people(connection, credentials, 2 * count), {"user": [], "node": []}
    for user, _ in found[:count]:
        asked["user"].append((f"/v3.1/users/{user}", reads.gateway(credentials)))
    for user, token in found[count:]:
        headers = reads.key(connection, credentials, user, token)
        nodes = connection.json("GET", f"/v3.1/users/{user}/nodes?per_page=1", headers)["nodes"]
        asked["node"] += [(path, headers) for path in reads.paths(nodes, user)]
    return asked


def ask(connection, asked):
    """Returns the latencies of the responses: {kind: [ms, …]}."""
    return {kind: [connection.took_ms(*one) for one in all_] for kind, all_ in asked.items()}


def summaries(took):
    return {kind: reads.summary(all_) for kind, all_ in took.items()}


def snapshot(options):
    """Measures appends without and with an open snapshot, as a dump holds it, in turn on one database."""
    done = {"none": [], "held open": []}
    with Data(options.binary, options.folder) as data:
        data.load(min(BASE, options.events[-1]), options.nodes[0])
        appender = Appender(data, options.nodes[0], options)
        with data.postgres():
            for number in range(options.rounds):
                options.tell(f"snapshot: round {number + 1} of {options.rounds}")
                for name in ("none", "held open") if number % 2 == 0 else ("held open", "none"):
                    done[name].append(appender.once(hold=name == "held open"))
    return {name: compared(all_, options.append / PARTS) for name, all_ in done.items()}


def compared(appends, each):
    """Returns the medians of appends of one kind and of their parts, of `each` events."""
    parts = {}
    for what in ("append", "read models"):
        rates = zip(*(one["parts"][what] for one in appends))
        parts[what] = [[each * (part + 1), median(of_part)] for part, of_part in enumerate(rates)]
    return {
        "append_per_s": median([one["append"] for one in appends]),
        "read_models_per_s": median([one["read models"] for one in appends]),
        "parts": parts,
    }
