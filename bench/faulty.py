"""An endpoint that fails as endpoints do: storms of 429, errors, answers that never come or break off.

python -m bench.faulty --port 9200. It answers as the stand-in does where it answers. What goes
wrong is drawn anew for each request, so that the same question is answered when it comes again.
`GET /v1/counts` says how many requests came to what.
"""

import argparse
import asyncio
import contextlib
import json
import random
import time
from collections import Counter
from http import HTTPStatus

from judging import standin

STORM_EVERY, STORM_FOR = 30.0, 3.0  # seconds
HANGS_FOR = 600.0  # seconds, longer than anybody waits
ODDS = {"error 503": 0.02, "error 500": 0.01, "cut off": 0.02, "no JSON": 0.01, "hang": 0.005}


class FaultyEndpoint:
    """One that counts what it did; `latency` is the mean of an answer, in seconds."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.begun = time.monotonic()
        self.counts: Counter[str] = Counter()
        self.drawn = random.Random(2026)  # noqa: S311 -- what goes wrong is no secret

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ValueError):
            while await self._answer(reader, writer):
                pass
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False where the connection ends with it."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        method, path, _version = head.split("\r\n", 1)[0].split(" ")
        length = next((line[15:] for line in head.split("\r\n") if "content-length:" in line), "0")
        body = await reader.readexactly(int(length))
        if path.endswith("/counts"):
            return await self._write(writer, HTTPStatus.OK, json.dumps(self.counts))
        if not path.endswith("/chat/completions"):
            status, answer = standin.respond(method.upper(), path, body)
            return await self._write(writer, status, json.dumps(answer))
        return await self._complete(writer, body)

    async def _complete(self, writer: asyncio.StreamWriter, body: bytes) -> bool:
        fate = self._fate()
        if fate == "storm":
            self.counts[fate] += 1
            return await self._write(
                writer, HTTPStatus.TOO_MANY_REQUESTS, "{}", "Retry-After: 1\r\n"
            )
        if fate == "hang":
            self.counts[fate] += 1
            await asyncio.sleep(HANGS_FOR)
        await asyncio.sleep(self.latency * self.drawn.uniform(0.5, 1.5))
        if fate.startswith("error"):
            self.counts[fate] += 1
            return await self._write(writer, HTTPStatus(int(fate[-3:])), "{}")
        status, answer = standin.respond("POST", "/chat/completions", body)
        text = "<html>busy</html>" if fate == "no JSON" else json.dumps(answer)
        is_whole = await self._write(writer, status, text, is_cut_off=fate == "cut off")
        self.counts[fate] += 1
        return is_whole

    def _fate(self) -> str:
        since = time.monotonic() - self.begun
        if since > STORM_EVERY and since % STORM_EVERY < STORM_FOR:
            return "storm"
        fates = self.drawn.choices(
            [*ODDS, "answered"], [*ODDS.values(), 1 - sum(ODDS.values())], k=1
        )
        return fates[0]

    async def _write(
        self,
        writer: asyncio.StreamWriter,
        status: HTTPStatus,
        text: str,
        headers: str = "",
        *,
        is_cut_off: bool = False,
    ) -> bool:
        payload = text.encode()
        sent = payload[: len(payload) // 2] if is_cut_off else payload
        writer.write(
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n{headers}"
            f"Content-Length: {len(payload)}\r\n\r\n".encode()
            + sent
        )
        await writer.drain()
        return not is_cut_off


async def serve(port: int, latency: float) -> None:
    """Serve on loopback until cancelled."""
    endpoint = FaultyEndpoint(latency)
    server = await asyncio.start_server(endpoint.connected, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.faulty", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency-ms", type=float, default=150.0)
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options.port, options.latency_ms / 1000))


if __name__ == "__main__":
    main()
