"""Speech to text as OpenAI's API answers it, over Whisper or PocketSphinx.

POST /v1/audio/transcriptions   multipart: file, model, response_format, timestamp_granularities[]
GET  /v1/models                 GET /health (200 once a recogniser has loaded, 503 before)

Variables:
SPEECH_LISTEN       host:port
SPEECH_API_KEY      the required key; empty: no check
SPEECH_MODEL        the name of the model in requests
SPEECH_ENGINE       whisper (reads its model from SPEECH_MODEL_DIR) or pocketsphinx
SPEECH_WORKERS      number of processes; default: one for each core, at most two
SPEECH_LANGUAGE     code of the language if Whisper is not sure; default en; empty: the detected language
SPEECH_SCRATCH_DIR  uploads during their requests; emptied at the start
SPEECH_NICE         niceness, 0 to 19; default 0
Needs ffmpeg on PATH, and either faster-whisper with its dependencies or pocketsphinx. Python 3.9 or newer.
"""

import hmac
import json
import os
import shutil
import tempfile
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import answers
from audio import UnreadableAudio, decode
from cues import cut_cues
from languages import code_of
from multipart import BadMultipart, parse
from pool import Cancelled, Pool, PoolBusy, RecogniserFailed

MAX_FILE_BYTES = 25 * 1024 * 1024
# The additional bytes allow for the other fields and the boundaries around the file.
MAX_BODY_BYTES = MAX_FILE_BYTES + 64 * 1024
# After a body that is too large, the server reads a little more, so that the client gets the response instead of a broken
# connection.
DRAIN_BYTES = 64 * 1024 * 1024
SOCKET_TIMEOUT_S = 60

HOST, _, PORT = os.environ.get("SPEECH_LISTEN", "127.0.0.1:8090").rpartition(":")
API_KEY = os.environ.get("SPEECH_API_KEY", "")
ENGLISH_ALONE = os.environ.get("SPEECH_ENGINE") != "whisper"
MODEL = os.environ.get("SPEECH_MODEL", "pocketsphinx-en-us" if ENGLISH_ALONE else "whisper-base")
# Clients use this name by default. Like OpenAI, the server returns "not found" for any other model.
MODELS = {MODEL, "whisper-1"}
WORKERS = int(os.environ.get("SPEECH_WORKERS") or min(os.cpu_count() or 1, 2))
SCRATCH = os.path.join(os.environ.get("SPEECH_SCRATCH_DIR") or tempfile.gettempdir(), "speech-scratch-" + PORT)


class Refused(Exception):
    """An error response: HTTP status, message, and the fields of OpenAI's error object."""

    def __init__(self, status, message, param=None, code=None, kind="invalid_request_error"):
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": code}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SOCKET_TIMEOUT_S
    pool = None

    def do_GET(self):
        self.answer(self.get)

    def do_POST(self):
        self.answer(self.post)

    def answer(self, handle):
        self.body_read = False
        try:
            status, kind, payload = handle()
        except Refused as refused:
            status, kind, payload = refused.status, "application/json", json.dumps(refused.body).encode()
        except Cancelled:
            self.close_connection = True
            return
        except (ConnectionError, TimeoutError):
            self.close_connection = True
            return
        except Exception as error:  # logs the error once; the response has no details
            self.log_error("failed: %r", error)
            refused = Refused(500, "The server had an error while processing your request.", kind="server_error")
            status, kind, payload = 500, "application/json", json.dumps(refused.body).encode()
        self.send(status, kind, payload)

    def send(self, status, kind, payload):
        unread = self.command == "POST" and not self.body_read
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(payload)))
            if unread:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            self.wfile.write(payload)
            self.wfile.flush()
            left = min(int(self.headers.get("Content-Length") or 0), DRAIN_BYTES) if unread else 0
            while left > 0:
                got = self.rfile.read(min(left, 65536))
                if not got:
                    break
                left -= len(got)
        except OSError:
            self.close_connection = True

    def get(self):
        path = self.path.partition("?")[0]
        if path == "/health":
            status = 200 if self.pool.ready() else 503
            return status, "application/json", json.dumps({"status": "ok" if status == 200 else "loading"}).encode()
        self.authorize()
        if path == "/v1/models":
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "local"} for name in sorted(MODELS)]
            return 200, "application/json", json.dumps({"object": "list", "data": models}).encode()
        raise Refused(404, f"Invalid URL (GET {path})")

    def post(self):
        path = self.path.partition("?")[0]
        self.authorize()
        if path != "/v1/audio/transcriptions":
            raise Refused(404, f"Invalid URL (POST {path})")
        try:
            fields = parse(self.headers.get("Content-Type", ""), self.read_body())
        except BadMultipart as error:
            raise Refused(400, str(error)) from error
        wanted, language = self.wanted(fields)
        os.makedirs(SCRATCH, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            return self.transcribe(folder, fields["file"][0], wanted, language)

    def authorize(self):
        given = self.headers.get("Authorization", "")
        if API_KEY and not hmac.compare_digest(given.encode(), f"Bearer {API_KEY}".encode()):
            message = "Incorrect API key provided." if given else "You didn't provide an API key."
            raise Refused(401, message, code="invalid_api_key" if given else None)

    def wanted(self, fields):
        """Returns the requested ((response_format, set of granularities), code of the language or None). Refuses missing fields
        and unknown values."""
        if not fields.get("file"):
            raise Refused(400, "'file' is a required property", param="file")
        if len(fields["file"][0]) > MAX_FILE_BYTES:
            raise too_large(len(fields["file"][0]))
        text = {name: [value.decode("utf-8", "replace") for value in values] for name, values in fields.items() if name != "file"}
        model = text.get("model", [""])[0]
        if not model:
            raise Refused(400, "you must provide a model parameter", param="model")
        if model not in MODELS:
            raise Refused(404, f"The model '{model[:100]}' does not exist", param="model", code="model_not_found")
        form = text.get("response_format", ["json"])[0]
        if form not in answers.FORMATS:
            known = ", ".join(answers.FORMATS)
            raise Refused(400, f"Invalid value: '{form[:100]}'. Supported values are: {known}.", "response_format", "invalid_value")
        grains = set(text.get("timestamp_granularities[]", []) + text.get("timestamp_granularities", []))
        if not grains <= {"word", "segment"}:
            raise Refused(400, "Supported values are: segment, word.", "timestamp_granularities", "invalid_value")
        return (form, grains or {"segment"}), wanted_language(text.get("language", [""])[0])

    def transcribe(self, folder, blob, wanted, language):
        source = os.path.join(folder, "upload")
        with open(source, "wb") as file:
            file.write(blob)
        try:
            pcm, duration = decode(source, folder)
            words, heard = self.pool.recognise(pcm, language, duration, self.connection)
        except UnreadableAudio as error:
            raise Refused(400, str(error), param="file") from error
        except PoolBusy as error:
            raise Refused(429, "Too many requests at once; try again later.", code="rate_limit_exceeded", kind="requests") from error
        except RecogniserFailed as error:
            self.log_error("%s", error)
            raise Refused(500, "The recogniser failed on this audio.", kind="server_error") from error
        kind, text = answers.write(wanted, words, cut_cues(words), duration, heard)
        return 200, kind, text.encode()

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = self.read_chunks()
        else:
            length = int(self.headers.get("Content-Length") or 0)
            if length > MAX_BODY_BYTES:
                raise too_large(length)
            body = self.rfile.read(length)
            if len(body) < length:
                raise ConnectionError("the client disconnected during the body")
        self.body_read = True
        return body

    def read_chunks(self):
        body = bytearray()
        while True:
            size = int(self.rfile.readline(64).partition(b";")[0].strip() or b"0", 16)
            if len(body) + size > MAX_BODY_BYTES:
                raise too_large(len(body) + size)
            body += self.rfile.read(size)
            self.rfile.readline(64)
            if size == 0:
                return bytes(body)


def wanted_language(named):
    """Returns the code of the language that a request names; None if it names none. Refuses an unknown language."""
    if not named:
        return None
    code = code_of(named)
    if code is None:
        raise Refused(400, f"Language '{named[:100]}' is not supported: send its code of ISO 639-1.", "language", "invalid_value")
    if ENGLISH_ALONE and code != "en":
        raise Refused(400, f"The model '{MODEL}' recognises only English.", "language", "unsupported_language")
    return code


def too_large(size):
    return Refused(413, f"Maximum content size limit ({MAX_FILE_BYTES}) exceeded ({size} bytes read)")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def yield_to_others(nice):
    os.nice(nice)
    # With autogroup scheduling, Linux uses the nice value of the session, so set this value too.
    with suppress(OSError), open("/proc/self/autogroup", "r+") as autogroup:
        autogroup.write(str(nice))


def main():
    if os.environ.get("SPEECH_NICE"):
        yield_to_others(int(os.environ["SPEECH_NICE"]))
    shutil.rmtree(SCRATCH, ignore_errors=True)
    Handler.pool = Pool(WORKERS)
    server = Server((HOST or "127.0.0.1", int(PORT)), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listening on {HOST}:{PORT}, {WORKERS} recognisers", flush=True)
    # The recognisers end with the thread that started them, so that thread must live as long as the process.
    Handler.pool.keep_filled()


if __name__ == "__main__":
    main()
