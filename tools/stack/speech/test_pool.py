import os
import socket
import tempfile
import textwrap
import threading
import unittest

import pool

# Hangs for "hang", writes without end for "talk", and answers any other request.
WORKER = """
    import json, sys, time
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        wanted = json.loads(line)["pcm"]
        if wanted == "hang":
            time.sleep(60)
        while wanted == "talk":
            print("x" * 65536, end="", flush=True)
        print(json.dumps({"words": [], "language": wanted}), flush=True)
"""


class PoolOfOne(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
            file.write(textwrap.dedent(WORKER))
        pool.WORKER, pool.LIMIT_BASE_S, pool.LIMIT_PER_AUDIO_S, pool.MAX_ANSWER_BYTES = file.name, 2, 0, 1_000_000
        cls.script = file.name
        cls.pool = pool.Pool(1)
        threading.Thread(target=cls.pool.keep_filled, daemon=True).start()
        # This client stays connected.
        cls.here, cls.there = socket.socketpair()

    @classmethod
    def tearDownClass(cls):
        cls.pool.idle.get(timeout=30).kill()
        os.remove(cls.script)

    def ask(self, what):
        return self.pool.recognise(what, None, 1, self.here)

    def test_one_that_hangs_or_talks_without_end_is_ended_and_replaced(self):
        for fault in ("hang", "talk"):
            worker = self.pool.idle.get(timeout=30)
            self.pool.idle.put(worker)
            with self.assertRaises(pool.RecogniserFailed):
                self.ask(fault)
            self.assertIsNotNone(worker.poll())
            self.assertEqual(self.ask("en"), ([], "en"))


if __name__ == "__main__":
    unittest.main()
