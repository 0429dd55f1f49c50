"""A webhook receiver that measures the delay of the first delivery after each payment."""
import asyncio
import json
import time

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Receiver:
    """Times at which payments were answered, and times of the first delivery of each."""

    def __init__(self):
        self.paid, self.told, self.server = {}, {}, None

    async def listen(self):
        """Starts to accept every call; returns the URL to subscribe."""
        self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/hook"

    async def answer(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
                length = next(int(line.split(":")[1]) for line in head if line.startswith("content-length:"))
                body = json.loads(await reader.readexactly(length))
                self.told.setdefault(body["_id"]["$oid"], time.perf_counter())
                writer.write(ANSWER)
                await writer.drain()
        except (OSError, EOFError):
            writer.close()

    def expect(self, transaction):
        self.paid[transaction] = time.perf_counter()

    def missing(self):
        """Returns the number of payments without a delivery."""
        return len(self.paid.keys() - self.told.keys())

    def delays_ms(self):
        """Returns the delays between response and delivery; 0 if the delivery came first."""
        both = self.paid.keys() & self.told.keys()
        return [max(0.0, self.told[it] - self.paid[it]) * 1000 for it in both]

    def forget(self):
        self.paid.clear()
