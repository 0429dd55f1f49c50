"""Tables and plots of the figures; ratios are relative to the first row of the same run."""
import plot

PARTS = ("p50", "p99")
# Names of the lines in the plot of a snapshot.
HELD = {"none": "no snapshot", "held open": "snapshot held open"}


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "--:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def rated(points, of):
    """Returns each point's value and its ratio to the first point."""
    first = of(points[0])
    return [f"{plain(of(point))} ({of(point) / first:.2f})" for point in points]


def plain(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def under(part, n):
    told = part["conditions"]
    return f"{told['date']}, {told['cores']} cores, load at the start {told['load']}; {n.format(**told)}"


def columns(point):
    """Generates the columns of a table of sizes: (heading, function that reads the value)."""
    yield "append, events/s", lambda one: one["append_per_s"]
    yield "until read models show it, events/s", lambda one: one["read_models_per_s"]
    yield "start, s", lambda one: one["start_s"]
    yield "server, MiB", lambda one: one["memory_mib"]
    yield "after reads, MiB", lambda one: one["memory_after_reads_mib"]
    yield "daybook-bench load at most, MiB", lambda one: one["loader_peak_mib"]
    yield "log, bytes/event", log_bytes
    yield "database, bytes/event", all_bytes
    for name in point.get("rebuild_s_per_million", {}):
        yield f"rebuild of {name}, s per million", rebuild(name)


def log_bytes(point):
    return point["log"] / point["events"]


def all_bytes(point):
    return point["all"] / point["events"]


def rebuild(name):
    return lambda point: point["rebuild_s_per_million"][name]


def read(kind, part):
    return lambda point: point["reads"][kind][f"{part}_ms"]


def rows(points, x, all_columns):
    """Returns rows with the size of a point, and the values of all columns with their ratios to the first point."""
    cells = [rated(points, of) for _, of in all_columns]
    return [[f"{point[x]:,}", *row] for point, row in zip(points, zip(*cells))]


def sized(part, x):
    """Generates the table of a part whose points have a size."""
    points = part["figures"]
    shown = list(columns(points[0]))
    n = "medians of {rounds} starts and of {rounds} appends of {append:,} events; ratio to the first row"
    yield from [under(part, n), ""]
    yield from table([x, *(head for head, _ in shown)], rows(points, x, shown))


def reads(part, x):
    points = part["figures"]
    shown = [(f"{kind} {p}", read(kind, p)) for kind in points[0]["reads"] for p in PARTS]
    n = "{gets} GETs of each kind, one connection, things of {people} people; ms, ratio to the first row"
    yield from [under(part, n), ""]
    yield from table([x, *(head for head, _ in shown)], rows(points, x, shown))


def cold(part):
    figures, memory, found = part["figures"]["took"], part["figures"]["memory_mib"], []
    warm = figures["asked before"]
    for state, kinds in figures.items():
        pairs = [(one[f"{p}_ms"], warm[kind][f"{p}_ms"]) for kind, one in kinds.items() for p in PARTS]
        server = " to ".join(plain(mib) for mib in memory.get(state, [])) or "–"
        found.append([state, *(f"{plain(value)} ({value / known:.2f})" for value, known in pairs), server])
    n = "{cold} users and {cold} nodes, each another person's; ms, ratio to those asked before"
    yield from [under(part, n), ""]
    yield from table(["", *(f"{kind} {p}" for kind in warm for p in PARTS), "server, MiB"], found)


def snapshot(part):
    figures, found = part["figures"], []
    first, shown = figures["none"], ("append_per_s", "read_models_per_s")
    for name, one in figures.items():
        found.append([name, *(f"{plain(one[what])} ({one[what] / first[what]:.2f})" for what in shown)])
    n = "medians of {rounds} appends of {append:,} events each, in turn on one database; ratio to none"
    yield from [under(part, n), ""]
    yield from table(["snapshot", "append, events/s", "until read models show it, events/s"], found)


def line(points, x, of):
    return [(point[x], of(point)) for point in points]


def by_size(part, x):
    """Generates the plots of a part whose points have a size: (file, title, label of y, lines)."""
    points = part["figures"]

    def lines(named):
        return {name: line(points, x, of) for name, of in named.items()}

    (_, append), (show, shown), (_, start), (_, memory), (_, after) = list(columns(points[0]))[:5]
    kinds, grows = points[0]["reads"], f"by the number of {x}"
    yield f"{x}-append", f"Appending, {grows}", "events/s", lines({"append": append, show.split(",")[0]: shown})
    yield f"{x}-start", f"From the start to the first answer, {grows}", "s", lines({"": start})
    yield f"{x}-memory", f"Memory of the server, {grows}", "MiB", lines({"just started": memory, "after reads": after})
    for p in PARTS:
        yield f"{x}-{p}", f"{p} of reading, {grows}", "ms", lines({kind: read(kind, p) for kind in kinds})
    disk = lines({"log": log_bytes, "whole database": all_bytes})
    yield f"{x}-disk", f"Disk, {grows}", "bytes per event", disk
    rebuilt = lines({name: rebuild(name) for name in points[0].get("rebuild_s_per_million", {})})
    if rebuilt:
        yield f"{x}-rebuild", f"Rebuilding a read model, {grows}", "s per million events", rebuilt


def held(part):
    for what in ("append", "read models"):
        lines = {HELD[name]: one["parts"][what] for name, one in part["figures"].items()}
        title = {"append": "Appending", "read models": "Read models"}[what]
        yield f"snapshot-{what.replace(' ', '-')}", f"{title} while a snapshot is held open", "events/s", lines


def write(figures, out):
    """Writes tables.md and the plots of the measured parts."""
    lines = ["# How cost grows", "", "Made by `just growth`; all figures are in `growth.json` beside this page.", ""]
    plots = []
    for x in ("events", "nodes"):
        if x in figures:
            lines += [f"## By the number of {x}", "", *sized(figures[x], x), *reads(figures[x], x)]
            plots += [(x, *one) for one in by_size(figures[x], x)]
    if "cold" in figures:
        lines += ["## People nobody asked for before", "", *cold(figures["cold"])]
    if "snapshot" in figures:
        lines += ["## While a snapshot is held open", "", *snapshot(figures["snapshot"])]
        plots += [("events since the append began", *one) for one in held(figures["snapshot"])]
    for x_label, name, title, y_label, curves in plots:
        (out / f"{name}.svg").write_text(plot.draw(title, x_label, y_label, curves))
    (out / "tables.md").write_text("\n".join(lines))
