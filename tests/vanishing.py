"""A host that vanishes without a word: its packets are dropped, and no connection is closed."""

import ctypes
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

# From asm-generic/socket.h, and BPF_RET | BPF_K with 0 from linux/bpf_common.h: nothing is let in.
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
LET_NOTHING_IN = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0), 8)
ON_LINUX = sys.platform == "linux"
A_PIECE = 65_536  # bytes


class VanishingHost:
    """Stands on loopback in front of the service at a unix socket, and passes on what both say.

    While it is gone not even the kernel answers for it: what is sent is never acknowledged, and
    who wants a new connection hears nothing. Elsewhere than on Linux it only stops to pass on.
    """

    def __init__(self, service: str) -> None:
        self._service = service
        self._is_there = Event()
        self._is_there.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._met: list[socket.socket] = []
        self._opened: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def vanish(self) -> None:
        self._is_there.clear()
        for one in (self._listener, *self._met):
            with suppress(OSError):  # who has left
                _let_in(one, nothing=True)

    def come_back(self) -> None:
        """As after a start anew: nobody is known any more."""
        _let_in(self._listener, nothing=False)
        self._hang_up()
        self._is_there.set()

    def end(self) -> None:
        self._is_there.set()
        with self._listener:
            self._listener.shutdown(socket.SHUT_RDWR)
        self._hang_up()

    def _hang_up(self) -> None:
        while self._met:
            with suppress(OSError):
                client = self._met.pop()
                _let_in(client, nothing=False)
                client.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # it has ended
            while True:
                client, _address = self._listener.accept()
                self._met.append(client)
                Thread(target=self._speak_for, args=[client], daemon=True).start()

    def _speak_for(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as service:
            service.connect(self._service)
            answering = Thread(target=self._pass_on, args=[service, client], daemon=True)
            answering.start()
            self._pass_on(client, service)
            answering.join()

    def _pass_on(self, said_by: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while said := said_by.recv(A_PIECE):
                self._is_there.wait()
                to.sendall(said)
        for one in (said_by, to):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _let_in(one: socket.socket, *, nothing: bool) -> None:
    if not ON_LINUX:
        return
    program = struct.pack("HL", 1, ctypes.addressof(LET_NOTHING_IN))
    option = SO_ATTACH_FILTER if nothing else SO_DETACH_FILTER
    one.setsockopt(socket.SOL_SOCKET, option, program)


@contextmanager
def vanishing(service: str) -> Iterator[VanishingHost]:
    host = VanishingHost(service)
    try:
        yield host
    finally:
        host.end()
