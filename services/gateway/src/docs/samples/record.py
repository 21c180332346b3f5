# pip install tuspy
# python3 record.py https://…/r/vr_… clip.webm
import sys
import time
import uuid

import requests
from tusclient import client
from tusclient.exceptions import TusCommunicationError

link, path = sys.argv[1:3]
# Keep it on the device: with the same id the same response goes on after a crash.
session = str(uuid.uuid4())


def ask(method, address, **more):
    answer = requests.request(method, link + address, timeout=30, **more)
    if not answer.ok:
        sys.exit(f"{answer.status_code} {answer.headers.get('Error-Code')}: {answer.json()['error']}")
    return answer.json()


# Somebody is there: at their first touch. The take goes on without it.
try:
    requests.post(f"{link}/opened", timeout=30)
except requests.RequestException:
    pass

# Claims a use of the link. termsAccepted only where your contributor has accepted them.
ask("POST", "/responses", json={"responseSessionId": session, "termsAccepted": True})

# The file has a length, which the creation declares: the take is sent from its first byte on.
uploader = client.TusClient(f"{link}/uploads").uploader(
    path,
    metadata={"responseSessionId": session, "filetype": "video/webm"},
    chunk_size=1_000_000,
    retries=4,
    retry_delay=2,
)
failed = None
try:
    uploader.upload()
except TusCommunicationError as error:
    failed = error

# Whatever the last answer was, 200, 202 or none that arrived: the response tells what became of the take.
for _ in range(60):
    answer = ask("GET", f"/responses/{session}")["answers"][0]
    if answer["submissionId"]:
        print(answer["submissionId"])
        sys.exit()
    for upload in answer["uploads"]:
        if upload["state"] == "refused":
            sys.exit(f"{upload['errorCode']}: {upload['error']}")
    if failed and not any(upload["state"] == "finishing" for upload in answer["uploads"]):
        sys.exit(f"not sent: {failed}")
    time.sleep(1)
sys.exit("It is still landing; ask the response again later.")
