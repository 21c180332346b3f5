# pip install tuspy
# python3 record.py https://…/r/vr_… clip.webm
import json
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import parse_qs

import requests
from tusclient import client
from tusclient.exceptions import TusCommunicationError

if len(sys.argv) != 3 or not Path(sys.argv[2]).is_file():
    sys.exit("Name a recording link and a file: python3 record.py https://…/r/vr_… clip.webm")
address, path = sys.argv[1:]
# The paths below follow the path of the link. A shared link may also have a reference: …/r/vr_…?ref=P-17
link, _, query = address.partition("?")
reference = parse_qs(query).get("ref", [None])[0]


def ask(method, address, **more):
    try:
        answer = requests.request(method, link + address, timeout=30, **more)
    except requests.RequestException as error:
        sys.exit(f"No answer: {error}")
    if "Error-Code" in answer.headers:
        sys.exit(f"{answer.status_code} {answer.headers['Error-Code']}: {answer.json()['error']}")
    if not answer.ok or answer.headers.get("Content-Type", "").startswith("text/html"):
        sys.exit(f"The address answered {answer.status_code}, but not as the API does. Check the link and the proxies before it.")
    return answer.json()


# Reports the contributor's first touch. The recording continues if this request fails.
try:
    requests.post(f"{link}/opened", timeout=30)
except requests.RequestException:
    pass

# Claims a use of the link, or joins the response that was begun with it. The id, and the address of the upload below, stay beside
# the file until it is sent: run the program again after a crash, and it continues. Set termsAccepted only if your contributor has
# accepted the terms.
notes, of = Path(f"{path}.upload"), [address, Path(path).stat().st_mtime_ns]
kept = json.loads(notes.read_text()) if notes.exists() else {}
if kept.get("of") != of:  # Another link, or another take.
    kept = {"of": of, "session": str(uuid.uuid4())}
    notes.write_text(json.dumps(kept))
begin = {"responseSessionId": kept["session"], "termsAccepted": True}
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
uploads = client.TusClient(f"{link}/uploads")
how = {"metadata": metadata, "chunk_size": 1_000_000, "retries": 4, "retry_delay": 2}
try:
    uploader = uploads.uploader(path, url=kept.get("url") if kept.get("question") == question else None, **how)
except TusCommunicationError:  # The former upload was refused or has expired.
    uploader = uploads.uploader(path, **how)
failed = None
try:
    if not uploader.url:
        uploader.set_url(uploader.create_url())
        notes.write_text(json.dumps({**kept, "question": question, "url": uploader.url}))
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
        notes.unlink()
        sys.exit(f"{own['errorCode']}: {own['error']}")
    if answer["submissionId"]:
        notes.unlink()
        print(answer["submissionId"])
        sys.exit()
    if failed and own["state"] != "finishing":
        try:
            sys.exit(json.loads(failed.response_content)["error"])
        except (TypeError, ValueError, KeyError):
            sys.exit(f"not sent: {failed}")
    time.sleep(1)
sys.exit("It is still landing; ask the response again later.")
