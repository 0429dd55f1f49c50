#!/usr/bin/env python3
"""Unavailable receivers, in their own process so that they do not disturb the measurement. Prints the address of each.

A third refuses connections, a third accepts them and never responds, a third sends one byte of a response a second."""
import asyncio
import sys

from service import free_port


async def hole(reader, _):
    while await reader.read(65536):
        pass


async def drip(_, writer):
    try:
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(1)
    except OSError:
        writer.close()


async def main(count):
    servers, urls = [], []
    for number in range(count):
        if number % 3 == 0:
            port = free_port()
        else:
            servers.append(await asyncio.start_server(hole if number % 3 == 1 else drip, "127.0.0.1", 0))
            port = servers[-1].sockets[0].getsockname()[1]
        urls.append(f"http://127.0.0.1:{port}/hook")
    print(" ".join(urls), flush=True)
    await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1])))
