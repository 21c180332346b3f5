# pip install requests
import os
import sys
from base64 import b64encode

import requests

BASE = "https://record.example"
TOKEN = os.environ["TOKEN"]


def check(answer):
    """Ends the program with the sentence of an error."""
    if not answer.ok:
        sys.exit(f"{answer.status_code} {answer.headers.get('Error-Code')}: {answer.text}")
