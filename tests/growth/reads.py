"""Reads of a generated history through the API: users with keys, their requests, and the latencies."""
import http.client
import json
import random
import socket
import time

PER_PAGE = 20
KINDS = ("transaction", "node", "page of transactions")


def percentile(took_ms, part):
    """Returns the percentile `part`, a fraction of 1."""
    ordered = sorted(took_ms)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Connection:
    """A persistent connection that sends one request after the other."""

    def __init__(self, port):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def bytes(self, method, path, headers, body=None):
        payload = None if body is None else json.dumps(body)
        kind = {} if body is None else {"content-type": "application/json"}
        self.http.request(method, path, payload, {**headers, **kind})
        answer = self.http.getresponse()
        read = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path} was answered {answer.status}: {read.decode()}")
        return read

    def json(self, method, path, headers, body=None):
        return json.loads(self.bytes(method, path, headers, body))

    def took_ms(self, path, headers):
        """Returns the latency of a GET, from the first byte of the request to the last of the response."""
        begun = time.perf_counter()
        self.bytes("GET", path, headers)
        return (time.perf_counter() - begun) * 1000


def gateway(credentials):
    return {"x-sp-gateway": "{client_id}|{client_secret}".format(**credentials), "x-sp-user-ip": "127.0.0.1"}


def people(connection, credentials, count):
    """Returns `count` users of the generated platform, spread over its list: (id, refresh token)."""
    headers, found = gateway(credentials), {}
    pages = connection.json("GET", f"/v3.1/users?per_page={PER_PAGE}", headers)["page_count"]
    order = list(range(1, pages + 1))
    random.Random(1).shuffle(order)
    for page in order:
        for user in connection.json("GET", f"/v3.1/users?per_page={PER_PAGE}&page={page}", headers)["users"]:
            # The platform's own user has other nodes than the generated users.
            if user["legal_names"][0].startswith("Resident"):
                found[user["_id"]] = user["refresh_token"]
        if len(found) >= count:
            break
    return list(found.items())[:count]


def key(connection, credentials, user, token):
    """Logs a user in; returns the headers with the key."""
    path, body = f"/v3.1/oauth/{user}", {"refresh_token": token}
    made = connection.json("POST", path, gateway(credentials), body)
    return {"x-sp-user": f"{made['oauth_key']}|", "x-sp-user-ip": "127.0.0.1"}


def paths(things, user):
    """Returns the paths of records that this user may read."""
    found = ("/" + thing["_links"]["self"]["href"].split("/", 3)[3] for thing in things)
    return [path for path in found if path.startswith(f"/v3.1/users/{user}/")]


def questions(connection, credentials, count):
    """Returns the requests of `count` users: {kind: [(path, headers), …]}; transactions are of all ages."""
    asked, chance = {kind: [] for kind in KINDS}, random.Random(2)
    for user, token in people(connection, credentials, count):
        headers = key(connection, credentials, user, token)
        list_path = f"/v3.1/users/{user}/trans?per_page={PER_PAGE}"
        pages = connection.json("GET", list_path, headers)["page_count"]
        for page in {1, pages, chance.randint(1, pages)}:
            trans = connection.json("GET", f"{list_path}&page={page}", headers)["trans"]
            asked["transaction"] += [(path, headers) for path in paths(trans, user)]
            asked["page of transactions"].append((f"{list_path}&page={page}", headers))
        nodes = connection.json("GET", f"/v3.1/users/{user}/nodes?per_page={PER_PAGE}", headers)["nodes"]
        asked["node"] += [(path, headers) for path in paths(nodes, user)]
    return asked


def latencies(connection, asked, count):
    """Returns {kind: {p50, p99, n}} of `count` GETs of each kind, in turn, after a tenth as many to warm up."""
    chance, took = random.Random(3), {kind: [] for kind in KINDS}
    for number in range(-(count // 10), count):
        for kind in KINDS:
            ms = connection.took_ms(*chance.choice(asked[kind]))
            if number >= 0:
                took[kind].append(ms)
    return {kind: summary(all_) for kind, all_ in took.items()}


def summary(took_ms):
    return {"p50_ms": percentile(took_ms, .5), "p99_ms": percentile(took_ms, .99), "n": len(took_ms)}
