"""Recogniser processes. Each has one model and handles one request at a time; the pool replaces a process that dies or hangs.

The recognisers are processes, not threads, for two reasons. PocketSphinx keeps Python's lock while it decodes, so
threads would take turns. And the pool can kill a hanging process.
"""

import json
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
LOAD_LIMIT_S = 60
# On an idle core, recognition takes less time than the audio's length. The rest allows for a busy machine.
LIMIT_BASE_S, LIMIT_PER_AUDIO_S = 60, 3
MAX_WAITING = 64
# The words of one hour take two megabytes.
MAX_ANSWER_BYTES = 16 * 1024 * 1024


class PoolBusy(Exception):
    """The queue of waiting requests is full."""


class RecogniserFailed(Exception):
    """The process died on this audio, or took longer than its limit."""


class Cancelled(Exception):
    """The client has disconnected."""


class Pool:
    def __init__(self, size):
        self.idle = queue.Queue()
        self.missing = queue.Queue()
        self.waiting = 0
        self.lock = threading.Lock()
        self.loaded = threading.Event()
        for _ in range(size):
            self.missing.put(None)

    def ready(self):
        return self.loaded.is_set()

    def keep_filled(self):
        """Replaces missing processes, forever. Must run in the main thread (see worker.py)."""
        while True:
            self.missing.get()
            worker = subprocess.Popen(
                [sys.executable, "-u", WORKER, str(os.getpid())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
            threading.Thread(target=self.await_load, args=(worker,), daemon=True).start()

    def await_load(self, worker):
        try:
            read_line(worker, LOAD_LIMIT_S, None)
        except RecogniserFailed as error:
            print(f"recogniser did not load: {error}", file=sys.stderr, flush=True)
            time.sleep(1)  # limits restarts of a broken installation
            self.replace(worker)
            return
        self.idle.put(worker)
        self.loaded.set()

    def replace(self, worker):
        worker.kill()
        worker.wait()
        worker.stdin.close()
        worker.stdout.close()
        self.missing.put(None)

    def recognise(self, pcm, language, duration_s, connection):
        """Returns ([{word, lead, start, end, probability}, …], code of the language or None) of an s16le file, in seconds from
        its start; `lead` is the text between a word and the previous one. Raises the three errors above."""
        worker = self.borrow(connection)
        try:
            worker.stdin.write(json.dumps({"pcm": pcm, "language": language}).encode() + b"\n")
            answer = read_line(worker, LIMIT_BASE_S + LIMIT_PER_AUDIO_S * duration_s, connection)
        except (RecogniserFailed, Cancelled, OSError) as error:
            self.replace(worker)
            if isinstance(error, OSError):
                raise RecogniserFailed(f"recogniser died: {error}") from error
            raise
        self.idle.put(worker)
        if "error" in answer:
            raise RecogniserFailed(answer["error"])
        return answer["words"], answer["language"]

    def borrow(self, connection):
        with self.lock:
            if self.waiting >= MAX_WAITING:
                raise PoolBusy()
            self.waiting += 1
        try:
            while True:
                try:
                    worker = self.idle.get(timeout=1)
                except queue.Empty:
                    if gone(connection):
                        raise Cancelled() from None
                    continue
                if worker.poll() is None:
                    return worker
                self.replace(worker)
        finally:
            with self.lock:
                self.waiting -= 1


def read_line(worker, limit_s, connection):
    end = time.monotonic() + limit_s
    line = bytearray()
    while not line.endswith(b"\n"):
        if time.monotonic() > end:
            raise RecogniserFailed(f"recogniser took longer than {limit_s:.0f} s")
        if connection and gone(connection):
            raise Cancelled()
        if select.select([worker.stdout], [], [], 0.5)[0]:
            got = os.read(worker.stdout.fileno(), 65536)
            if not got:
                raise RecogniserFailed("recogniser ended during its work")
            line += got
            if len(line) > MAX_ANSWER_BYTES:
                raise RecogniserFailed("recogniser's answer is incomplete")
    return json.loads(line)


def gone(connection):
    """Returns whether the client has closed its side: the socket is readable and has no data."""
    try:
        return bool(select.select([connection], [], [], 0)[0]) and connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True
