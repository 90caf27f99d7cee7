"""A peer of `ironbird fcc serve`, written from docs/flight-computer.md alone: frames, checksum, UDP."""
import socket
import struct

HELLO, READY, INPUT, OUTPUT, FAILED, BUSY, BYE = range(1, 8)
HEAD = struct.Struct("<4sHHIIQIIq")
IN_SIZE, OUT_SIZE = 3464, 1312
ARRAYS = ("imu", "gps", "baro", "mag", "altimeter", "engine", "servo", "fin", "interlock", "user")


def crc32c(data):
    """CRC-32C, bit by bit."""
    rest = 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def frame(kind, session, sequence, tick, payload=b""):
    """The bytes of a frame."""
    def with_crc(crc):
        return HEAD.pack(b"IBFC", 1, kind, len(payload), crc, session, sequence, 1, tick) + payload
    return with_crc(crc32c(with_crc(0)))


def parse(data):
    """(kind, session, sequence, tick, payload) of a good frame."""
    magic, version, kind, length, crc, session, sequence, abi, tick = HEAD.unpack_from(data)
    assert magic == b"IBFC" and version == 1 and abi == 1 and length == len(data) - HEAD.size
    assert crc == crc32c(data[:12] + bytes(4) + data[16:]), "checksum"
    return kind, session, sequence, tick, data[HEAD.size:]


def input_frame(tick, time, dt, imu=(), fins=0):
    """An ib_fcc_in of inertial units (specific force, rate) and that many fins."""
    data = bytearray(IN_SIZE)
    struct.pack_into("<IIqqq", data, 0, 1, 0, tick, time, dt)
    counts = dict.fromkeys(ARRAYS, 0)
    counts.update(imu=len(imu), fin=fins)
    struct.pack_into("<10I", data, 32, *counts.values())
    for i, (force, rate) in enumerate(imu):
        struct.pack_into("<q3d3ddI", data, 72 + 72 * i, time, *force, *rate, 15.0, 4)
    return bytes(data)


def fins_of(data):
    """The angles that an ib_fcc_out commands."""
    n_fin = struct.unpack_from("<I", data, 16)[0]
    return struct.unpack_from(f"<{n_fin}d", data, 288)


class Peer:
    """The simulation's side of a channel."""

    def __init__(self, address, session=42):
        host, port = address.removeprefix("udp://").rsplit(":", 1)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(10)
        self.socket.connect((host, int(port)))
        self.session, self.sequence = session, 0

    def ask(self, kind, tick=0, payload=b"", answer=True):
        """Sends a frame; (kind, payload) of its answer."""
        self.sequence += 1
        self.socket.send(frame(kind, self.session, self.sequence, tick, payload))
        if not answer:
            return None
        got = parse(self.socket.recv(65536))
        assert got[1:4] == (self.session, self.sequence, tick), got
        return got[0], got[4]

    def close(self):
        self.ask(BYE, answer=False)
        self.socket.close()
