# pip install tuspy
# python3 record.py https://…/r/vr_… clip.webm
import sys
import time
import uuid
from urllib.parse import parse_qs

import requests
from tusclient import client
from tusclient.exceptions import TusCommunicationError

address, path = sys.argv[1:3]
# The paths below follow the path of the link. A shared link may also have a reference: …/r/vr_…?ref=P-17
link, _, query = address.partition("?")
reference = parse_qs(query).get("ref", [None])[0]


def ask(method, address, **more):
    answer = requests.request(method, link + address, timeout=30, **more)
    if not answer.ok:
        sys.exit(f"{answer.status_code} {answer.headers.get('Error-Code')}: {answer.json()['error']}")
    return answer.json()


# Reports the contributor's first touch. The recording continues if this request fails.
try:
    requests.post(f"{link}/opened", timeout=30)
except requests.RequestException:
    pass

# Claims a use of the link, or joins the response that was begun with it. Store your id on the device: after a crash, the same id
# continues the same response. Set termsAccepted only if your contributor has accepted the terms.
begin = {"responseSessionId": str(uuid.uuid4()), "termsAccepted": True}
if reference:
    begin["reference"] = reference
begun = ask("POST", "/responses", json=begin)
# From here on, use the returned id: a personal link has one response, whose id may differ from yours.
session = begun["responseSessionId"]
# In an interview this file answers the first question that has no answer yet.
left = [each for each in begun["answers"] if each["submissionId"] is None]
if not left:
    sys.exit("Every answer was sent already.")
question = left[0]["questionIndex"]
metadata = {"responseSessionId": session, "filetype": "video/webm"}
if question is not None:
    metadata["questionIndex"] = str(question)

# The creation declares the length of the file, so the service accepts the recording from its first byte on.
uploader = client.TusClient(f"{link}/uploads").uploader(
    path,
    metadata=metadata,
    chunk_size=1_000_000,
    retries=4,
    retry_delay=2,
)
failed = None
try:
    uploader.upload()
except TusCommunicationError as error:
    failed = error

# After any last answer (200, 202 or none), the response shows the state of this recording. It also lists refused recordings:
# this one is the upload whose id is the last part of its address.
upload_id = (uploader.url or "").split("/")[-1]
for _ in range(60):
    answers = ask("GET", f"/responses/{session}")["answers"]
    answer = next(each for each in answers if each["questionIndex"] == question)
    own = next((each for each in answer["uploads"] if each["uploadId"] == upload_id), {"state": "unknown"})
    if own["state"] == "refused":
        sys.exit(f"{own['errorCode']}: {own['error']}")
    if answer["submissionId"]:
        print(answer["submissionId"])
        sys.exit()
    if failed and own["state"] != "finishing":
        sys.exit(f"not sent: {failed}")
    time.sleep(1)
sys.exit("It is still landing; ask the response again later.")
