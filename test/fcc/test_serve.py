#!/usr/bin/env python3
"""`ironbird fcc serve`: what it says, whom it serves, and how it ends. The peer is peer.py."""
import os
import pathlib
import re
import signal
import subprocess
import unittest

import peer

PROGRAM = os.environ.get("IRONBIRD", "build/ironbird")
LIBRARIES = pathlib.Path(os.environ.get("IRONBIRD_BUILD", "build")) / "test/fcc"


class Served:
    """A running `fcc serve`; the address it listens at."""

    def __init__(self, library, *options, address="udp://127.0.0.1:0"):
        self.process = subprocess.Popen(
            [PROGRAM, "fcc", "serve", str(LIBRARIES / library), "--listen", address, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline()
        self.address = re.search(r" at (\S+); Ctrl-C ends it\n", self.first)[1]

    def end(self, by=signal.SIGINT):
        """(exit code, output, errors) after a signal, or by itself."""
        if by:
            self.process.send_signal(by)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


def fly(address, ticks, config=b"\0", session=42):
    """The fins commanded in every tick."""
    flight = peer.Peer(address, session)
    kind, _ = flight.ask(peer.HELLO, payload=config)
    assert kind == peer.READY, kind
    fins = []
    for tick in range(1, ticks + 1):
        data = peer.input_frame(tick, (tick - 1) * 10**7, 10**7, [((0, 0, -9.8), (0.3, -0.6, tick))], 3)
        kind, answer = flight.ask(peer.INPUT, tick, data)
        assert kind == peer.OUTPUT and len(answer) == peer.OUT_SIZE
        fins.append(peer.fins_of(answer))
    flight.close()
    return fins


class Serve(unittest.TestCase):
    def test_flight(self):
        served = Served("good.so")
        fins = fly(served.address, 20)
        mean = 0.0
        for tick, angles in enumerate(fins, 1):
            mean += 0.1 * (tick / 3 - mean)
            self.assertEqual(angles[2], mean)
        self.assertEqual(fly(served.address, 20, session=43), fins)
        code, out, err = served.end()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"run 1 has begun\nrun 1 has ended after 20 ticks\nrun 2 has begun\n")
        self.assertRegex(out, r"served 2 runs, 40 ticks; of 44 frames received 44 were good, 0 dup")

    def test_ends(self):
        for by in (signal.SIGINT, signal.SIGTERM):
            for address in ("udp://127.0.0.1:0", f"shm://ironbird-test-serve-{os.getpid()}"):
                code, out, err = Served("good.so", address=address).end(by)
                self.assertEqual((code, err), (0, ""))
                self.assertIn("served 0 runs, 0 ticks", out)
        self.assertEqual(list(pathlib.Path("/dev/shm").glob(f"ironbird-test-serve-{os.getpid()}*")), [])

    def test_once(self):
        served = Served("good.so", "--once")
        fly(served.address, 2)
        code, out, err = served.end(by=None)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("served 1 run, 2 ticks", out)

    def test_with_process(self):
        with subprocess.Popen(["sleep", "100"]) as other:
            served = Served("good.so", "--with-process", str(other.pid))
            other.kill()
            other.wait()
        self.assertEqual(served.end(by=None)[0], 0)

    def test_config(self):
        config = pathlib.Path("config.txt")
        config.write_text("gain=half\n")
        served = Served("good.so", "--config", str(config))
        self.assertEqual(fly(served.address, 1)[0][0], 0.5 * (0.3 / 3))
        self.assertEqual(fly(served.address, 1, b"gain=tenth\n\0", 43)[0][0], 0.1 * (0.3 / 3))
        served.end()

    def test_crash(self):
        """A library that crashes ends its run, not the server."""
        served = Served("bad.so")
        for session in (1, 2):
            flight = peer.Peer(served.address, session)
            self.assertEqual(flight.ask(peer.HELLO, payload=b"what=crash\n\0")[0], peer.READY)
            for tick in (1, 2):
                self.assertEqual(flight.ask(peer.INPUT, tick, peer.input_frame(tick, 0, 1))[0], peer.OUTPUT)
            kind, text = flight.ask(peer.INPUT, 3, peer.input_frame(3, 0, 1))
            self.assertEqual(kind, peer.FAILED)
            self.assertRegex(text.decode(), r"^IB1206 flight computer '.*bad\.so', tick 3: it crashed \(SIGSEGV")
            flight.close()
        code, out, err = served.end()
        self.assertEqual(code, 0)
        self.assertIn("served 2 runs, 4 ticks", out)
        self.assertEqual(err.count("[IB1206]"), 2)

    def test_source(self):
        """A source is compiled when it is named."""
        source = pathlib.Path(os.environ["IRONBIRD_SOURCE"]) / "examples/flight_computer/attitude.c"
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path("cache").resolve())
        served = Served(source)
        self.assertEqual(fly(served.address, 1)[0], (-0.8 * 0.3, 0.35, -0.35))
        self.assertEqual(served.end()[0], 0)

    def test_mistakes(self):
        library = str(LIBRARIES / "good.so")
        for arguments, message in [
                (["fcc", "serve", library], "needs --listen"),
                (["fcc", "fly", library, "--listen", "shm://x"], "'fcc' takes serve first, not 'fly'"),
                (["fcc", "serve", library, "--listen", "tcp://x"], r"no address of a channel.*IB1210"),
                (["fcc", "serve", library, "--listen", "udp://127.0.0.1:99999"], "ports are 0 to 65535"),
                (["fcc", "serve", "none.so", "--listen", "shm://x"], "there is no such file"),
                (["fcc", "serve", str(LIBRARIES / "lacks.so"), "--listen", "shm://x"], "lacks ib_fcc_init"),
                (["fcc", "serve", library, "--listen", "shm://x", "--config", "none.txt"], "none.txt"),
                (["fcc", "serve", library, "--listen", "shm://x", "--with-process", "me"], "number of a process")]:
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, message)


if __name__ == "__main__":
    unittest.main()
