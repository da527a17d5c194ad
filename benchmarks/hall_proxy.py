"""A network between tables and broker that can be made bad: for benchmarks/hall.py.

    python benchmarks/hall_proxy.py FROM_PORT TO_PORT

Lines on stdin: ``cut`` resets every connection and refuses new ones, ``mend`` ends whatever is
wrong, ``bad DELAY_S TEAR`` makes pieces late and tears connections in the middle of one, with that
likelihood each, ``stick`` lets nothing through and tells nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys


class Network:
    def __init__(self, to_port: int) -> None:
        self.to_port = to_port
        self.is_cut = self.is_stuck = False
        self.delay_s = self.tear = 0.0
        self.writers: set[asyncio.StreamWriter] = set()
        self.rng = random.Random(1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, back}
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer))
        self.writers -= {writer, back}

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while piece := await reader.read(16384):
                while self.is_stuck:
                    await asyncio.sleep(0.05)
                if self.delay_s:
                    await asyncio.sleep(self.rng.uniform(0, 2 * self.delay_s))
                if self.is_cut or self.rng.random() < self.tear:
                    writer.write(piece[: self.rng.randrange(len(piece) + 1)])
                    break
                writer.write(piece)
                await writer.drain()
        writer.close()

    def command(self, words: list[str]) -> None:
        if words[0] == "cut":
            self.is_cut = True
            for writer in self.writers:
                writer.transport.abort()
        elif words[0] == "stick":
            self.is_stuck = True
        elif words[0] == "bad":
            self.delay_s, self.tear = float(words[1]), float(words[2])
        elif words[0] == "mend":
            self.is_cut = self.is_stuck = False
            self.delay_s = self.tear = 0.0


async def main() -> None:
    network = Network(int(sys.argv[2]))
    server = await asyncio.start_server(network.serve, "127.0.0.1", int(sys.argv[1]), backlog=500)
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print("ready", flush=True)
    async with server:
        while line := await lines.readline():
            if line.strip():
                network.command(line.decode().split())


if __name__ == "__main__":
    asyncio.run(main())
