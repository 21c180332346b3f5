# pip install requests tuspy
# TOKEN=api_… python3 start.py [clip.webm]
import hashlib
import json
import os
import sys
import time

import requests
from tusclient import client as tus
from tusclient.exceptions import TusCommunicationError

BASE = "https://record.example"
TOKEN = os.environ.get("TOKEN") or sys.exit("Set TOKEN to your API token.")
FILE = sys.argv[1] if len(sys.argv) > 1 else None
if FILE and not os.path.isfile(FILE):
    sys.exit(f"There is no file {FILE}.")


def ask(method, address, **options):
    """Returns the answer. Ends the program with the sentence of an error."""
    try:
        answer = requests.request(method, address, timeout=60, **options)
    except requests.RequestException as error:
        sys.exit(f"No answer: {error}")
    if "Error-Code" in answer.headers:
        sys.exit(f"{answer.status_code} {answer.headers['Error-Code']}: {answer.json()['error']}")
    if not answer.ok or answer.headers.get("Content-Type", "").startswith("text/html"):
        sys.exit(f"{address} answered {answer.status_code}, but not as the API does. Check BASE and the proxies before it.")
    return answer


def api(method, path, **options):
    return ask(method, BASE + path, headers={"Authorization": f"Bearer {TOKEN}"}, **options)


def send(link, file):
    """Sends a file through a link. Ends the program with the sentence of a refusal."""
    response = ask("POST", f"{link}/responses", json={"termsAccepted": True}).json()
    metadata = {"responseSessionId": response["responseSessionId"]}
    uploads = tus.TusClient(f"{link}/uploads")
    uploader = uploads.uploader(file, metadata=metadata, chunk_size=1_000_000, retries=4, retry_delay=2)
    try:
        uploader.upload()
    except TusCommunicationError as error:
        # tuspy asks for the offset after a refusal: the sentence is in the answer before.
        refusal = error.response_content or getattr(uploader.request, "response_content", None)
        try:
            sys.exit(json.loads(refusal)["error"])
        except (TypeError, ValueError, KeyError):
            sys.exit(f"not sent: {error}")


# 1. Create a project with one link.
settings = {"projectName": "My first project", "count": 1, "sandbox": True}
project = api("POST", "/api/projects", json=settings).json()
path = f"/api/projects/{project['projectId']}"
link = project["recipientUrls"][0]["recipientUrl"]
print(f"Open {link} and record.")

# 2. Record: in the browser, or here with a file.
if FILE:
    send(link, FILE)

# 3. Wait until the video is ready.
while True:
    clips = api("GET", f"{path}/submissions").json()["submissions"]
    if clips and clips[0]["mediaStatus"] != "processing":
        break
    time.sleep(1)

# 4. Save it, and check the SHA-256: it is the ETag.
name = "my-clip.mp4" if (clips[0]["mimeType"] or "").startswith("video/mp4") else "my-clip.webm"
digest = hashlib.sha256()
video = api("GET", f"{path}/submissions/{clips[0]['submissionId']}/video", stream=True)
with open(f"{name}.part", "wb") as file:
    for part in video.iter_content(1_000_000):
        file.write(part)
        digest.update(part)
if digest.hexdigest() != video.headers["ETag"].strip('"'):
    sys.exit("The download is not complete: run it again.")
os.replace(f"{name}.part", name)
print(f"{digest.hexdigest()}  {name}")
