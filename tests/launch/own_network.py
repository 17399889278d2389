"""python -m tests.launch.own_network PROGRAM ...: run it on a network of its own, with a loopback.

As on another host, it reaches nothing but what is handed to it: here PostgreSQL and Redis by their
sockets. Where the machine lets nobody make a network, it runs on that of the machine.
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

# From linux/sched.h, linux/sockios.h and linux/if.h.
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


def leave_the_network() -> bool:
    """Whether this process is on a network of its own now."""
    user, group = os.getuid(), os.getgid()
    unshare = getattr(ctypes.CDLL(None), "unshare", None)  # Linux alone has it
    if unshare is None:
        return False
    if unshare(CLONE_NEWNET):
        if unshare(CLONE_NEWUSER | CLONE_NEWNET):
            return False
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with contextlib.closing(socket.socket()) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    return True


if __name__ == "__main__":
    sys.stdout.write("on its own network\n" if leave_the_network() else "on this network\n")
    sys.stdout.flush()
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 -- the program that a test names
