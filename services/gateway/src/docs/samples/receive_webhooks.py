# WEBHOOK_SECRET=whsec_… python3 receive_webhooks.py
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify_webhook import event_of

SECRET = os.environ.get("WEBHOOK_SECRET") or sys.exit("Set WEBHOOK_SECRET to the webhookSecret of the project.")
kept = {}  # Use a table with the id as its key: an event can come twice.


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        length = min(int(self.headers["Content-Length"]), 20_000_000)
        event = event_of(self.rfile.read(length), self.headers, SECRET)  # The bytes before parsing.
        if event:
            kept[event["id"]] = event
        print(f"kept {event['id']} {event['type']}" if event else "refused: the signature is wrong or too old", flush=True)
        self.send_response(204 if event else 401)  # Answer at once; process the stored event later.
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
