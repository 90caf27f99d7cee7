#!/usr/bin/env python3
"""docs/flight-computer.md: its example is that of examples/, compiles as the page says, and steers a body.

The plant is a rigid body whose fins give a torque; the flight computer flies it in this process (ctypes) and
behind `fcc serve`, where the peer is written from the page. Both give the same bits. From rates of up to
0.3 rad/s it has to come back to its first attitude: after 20 s within 1e-3 rad, which a linear PD loop of
these gains (slowest pole about -1/s) passes by orders of magnitude, and a sign or axis mixed up never does.
"""
import ctypes
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("IRONBIRD", str(SOURCE / "build" / "ironbird"))
sys.path.insert(0, str(SOURCE / "test/fcc"))
import peer  # noqa: E402

PAGE = (SOURCE / "docs/flight-computer.md").read_text()
INERTIA, TORQUE, DT = (2.0, 3.0, 4.0), 6.0, 10**7


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Body:
    """Euler's equations and the attitude, by small Euler steps."""

    def __init__(self):
        self.rate, self.attitude = [0.3, -0.2, 0.1], [1.0, 0.0, 0.0, 0.0]

    def step(self, fins):
        for _ in range(10):
            h = 1e-9 * DT / 10
            momentum = [i * w for i, w in zip(INERTIA, self.rate)]
            spin = cross(self.rate, momentum)
            self.rate = [w + h * (TORQUE * f - s) / i for w, f, s, i in zip(self.rate, fins, spin, INERTIA)]
            w, (a, b, c, d) = self.rate, self.attitude
            change = [-b * w[0] - c * w[1] - d * w[2], a * w[0] + c * w[2] - d * w[1],
                      a * w[1] + d * w[0] - b * w[2], a * w[2] + b * w[1] - c * w[0]]
            q = [x + h / 2 * y for x, y in zip(self.attitude, change)]
            size = sum(x * x for x in q) ** 0.5
            self.attitude = [x / size for x in q]


def fly(answer, seconds=20):
    """Every command of a flight, and the body at its end."""
    body, commands = Body(), []
    for tick in range(1, int(seconds * 1e9) // DT + 1):
        fins = answer(tick, peer.input_frame(tick, (tick - 1) * DT, DT, [((0, 0, 0), body.rate)], 3))
        commands.append(fins)
        body.step(fins)
    return commands, body


class Native:
    """The library in this process."""

    def __init__(self, path, config=b""):
        self.library = ctypes.CDLL(str(path))
        size, message = ctypes.c_uint64(), ctypes.create_string_buffer(256)
        self.state = None
        self.refusal = None
        for _ in range(2):
            if self.library.ib_fcc_init(config, self.state, ctypes.byref(size), message):
                self.refusal = message.value.decode()
                return
            self.state = self.state or ctypes.create_string_buffer(size.value)

    def __call__(self, tick, data):
        out = ctypes.create_string_buffer(struct.pack("<I", 1), peer.OUT_SIZE)
        assert self.library.ib_fcc_tick(data, out, self.state) == 0
        return peer.fins_of(out.raw)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        code = re.search(r"<!-- file: (\S+) -->\n```c\n(.*?)^```", PAGE, re.S | re.M)
        cls.name, cls.code = code[1], code[2]
        pathlib.Path(cls.name).write_text(cls.code)
        command = re.search(r"^    (cc .*)$", PAGE, re.M)[1]
        cls.compiled = subprocess.run(command.replace("PREFIX/include", f"{SOURCE}/include") + " -Wall -Wextra -Werror",
                                      shell=True, capture_output=True, text=True)
        cls.library = pathlib.Path(cls.name).with_suffix(".so").resolve()

    def test_same_as_example(self):
        self.assertEqual(self.code, (SOURCE / "examples/flight_computer" / self.name).read_text())

    def test_compiles(self):
        self.assertEqual((self.compiled.returncode, self.compiled.stderr), (0, ""))

    def test_steers(self):
        commands, body = fly(Native(self.library))
        self.assertTrue(any(abs(f) > 0.1 for f in commands[0]))
        for value in (*body.rate, *body.attitude[1:]):
            self.assertLess(abs(value), 1e-3)
        self.assertGreater(body.attitude[0], 0.999)

    def test_configuration(self):
        self.assertEqual(Native(self.library, b"damping=-1\n").refusal, "damping has to be positive")
        soft, body = fly(Native(self.library, b"stiffness=0.1\ndamping=0.4\n"), seconds=1)
        self.assertAlmostEqual(soft[0][0], -0.4 * 0.3, delta=1e-15)

    def test_channel(self):
        served = subprocess.Popen([PROGRAM, "fcc", "serve", str(self.library), "--listen", "udp://127.0.0.1:0"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        flight = peer.Peer(re.search(r" at (\S+);", served.stdout.readline())[1])
        self.assertEqual(flight.ask(peer.HELLO, payload=b"\0")[0], peer.READY)
        answers, _ = fly(lambda tick, data: peer.fins_of(flight.ask(peer.INPUT, tick, data)[1]), seconds=2)
        flight.close()
        served.send_signal(signal.SIGINT)
        served.communicate(timeout=20)
        self.assertEqual(served.returncode, 0)
        self.assertEqual(answers, fly(Native(self.library), seconds=2)[0])

    def test_fields(self):
        """Every field of the frames is in the page's tables."""
        header = (SOURCE / "include/ironbird/fcc.h").read_text()
        frames = header[header.index("typedef struct ib_fcc_imu"):header.index("IB_FCC_ASSERT(sizeof(ib_fcc_imu)")]
        for line in re.findall(r"^    (?:u?int\d+_t|double|char) ([^;]+);", frames, re.M):
            for name in re.findall(r"(\w+)(?:\[\w+\])?(?:,|$)", line):
                if name != "reserved" and not name.startswith("n_"):
                    self.assertRegex(PAGE, rf"[`.]{name}[`\[]", name)


if __name__ == "__main__":
    unittest.main()
