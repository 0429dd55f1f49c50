"""A receiver of webhooks that knows how long after each payment it was told of it."""
import asyncio
import json
import time

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Receiver:
    """Payments as they were answered, and the first call about each."""

    def __init__(self):
        self.paid, self.told, self.server = {}, {}, None

    async def listen(self):
        """Answers every call; the address to subscribe."""
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
        """How many payments no call was about."""
        return len(self.paid.keys() - self.told.keys())

    def delays_ms(self):
        """From each answer to the call about it; a call may come before the answer."""
        both = self.paid.keys() & self.told.keys()
        return [max(0.0, self.told[it] - self.paid[it]) * 1000 for it in both]

    def forget(self):
        self.paid.clear()
