# pip install requests
# TOKEN=api_… S3_ENDPOINT=https://… S3_BUCKET=… S3_ACCESS_KEY=… S3_SECRET_KEY=… python3 mirror.py [--once]
import hashlib
import hmac
import os
import sys
import tempfile
import time
from datetime import datetime, timezone
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

import requests

BASE = "https://record.example"
TOKEN = os.environ["TOKEN"]
S3 = os.environ["S3_ENDPOINT"].rstrip("/")
BUCKET = os.environ["S3_BUCKET"]
REGION = os.environ.get("S3_REGION", "us-east-1")


def api(path, method="GET", **options):
    """Sends a request to the API, and again if it asks to wait. Returns None if the answer is 404."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for _ in range(20):
        answer = requests.request(method, BASE + path, headers=headers, timeout=60, **options)
        if answer.status_code not in (429, 503):
            break
        time.sleep(int(answer.headers.get("Retry-After", 5)))
    if answer.status_code == 404:
        return None
    answer.raise_for_status()
    return answer


def s3(method, key="", query=None, data=None, headers=None):
    """Sends a request to the bucket, with AWS Signature Version 4. Returns None if the answer is 404."""
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    path, args = quote(f"/{BUCKET}/{key}"), urlencode(sorted((query or {}).items()), quote_via=quote, safe="")
    signed = {"host": urlsplit(S3).netloc, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "x-amz-date": stamp}
    signed = dict(sorted({**signed, **(headers or {})}.items()))
    names = ";".join(signed)
    lines = [method, path, args, *(f"{name}:{value}" for name, value in signed.items()), "", names, "UNSIGNED-PAYLOAD"]
    scope = f"{stamp[:8]}/{REGION}/s3/aws4_request"
    request_hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    signature = f"AWS4{os.environ['S3_SECRET_KEY']}".encode()
    for part in [*scope.split("/"), "\n".join(["AWS4-HMAC-SHA256", stamp, scope, request_hash])]:
        signature = hmac.new(signature, part.encode(), hashlib.sha256).digest()
    credential = f"Credential={os.environ['S3_ACCESS_KEY']}/{scope}, SignedHeaders={names}, Signature={signature.hex()}"
    signed["Authorization"] = f"AWS4-HMAC-SHA256 {credential}"
    answer = requests.request(method, f"{S3}{path}?{args}", headers=signed, data=data, timeout=600)
    if answer.status_code == 404:
        return None
    answer.raise_for_status()
    return answer


def keys(prefix):
    query = {"list-type": "2", "prefix": prefix}
    while True:
        page = ElementTree.fromstring(s3("GET", query=query).content)
        yield from [each.text for each in page.iterfind("{*}Contents/{*}Key")]
        token = page.findtext("{*}NextContinuationToken")
        if not token:
            return
        query["continuation-token"] = token


def mirror(project, submission):
    """Makes the objects of a clip the same as the clip. An object appears when all of its bytes have been checked."""
    path, prefix = f"/api/projects/{project}/submissions/{submission}", f"{project}/{submission}/"
    clip = api(path)
    info = api(f"{path}/video", "HEAD")
    if clip is None or info is None:
        for key in list(keys(prefix)):
            s3("DELETE", key)
        return
    stored = s3("HEAD", f"{prefix}video")
    if stored is None or stored.headers.get("x-amz-meta-sha256") != info.headers["ETag"].strip('"'):
        video, digest = api(f"{path}/video", stream=True), hashlib.sha256()
        if video is None:  # It was erased meanwhile.
            return mirror(project, submission)
        with tempfile.TemporaryFile() as file:
            for part in video.iter_content(1_000_000):
                file.write(part)
                digest.update(part)
            if digest.hexdigest() != video.headers["ETag"].strip('"'):
                sys.exit("A download broke off. Start the program again.")
            file.seek(0)
            about = {"content-type": clip.json()["mimeType"] or "application/octet-stream"}
            about["x-amz-meta-sha256"] = digest.hexdigest()
            s3("PUT", f"{prefix}video", data=file, headers=about)
    s3("PUT", f"{prefix}clip.json", data=clip.content)  # With its person and its transcript.


def pages(path, **query):
    cursor = None
    while True:
        page = api(path, params={**query, "limit": 100, **({"cursor": cursor} if cursor else {})})
        if page is None:  # The project was erased.
            return
        yield page.json()
        cursor = page.json()["pagination"]["nextCursor"]
        if not cursor:
            return


def mirror_all():
    """Compares everything: the feed keeps 30 days, and does not name the clips of an erased project."""
    seen = set()
    for projects in pages("/api/projects"):
        for project in [each["projectId"] for each in projects["projects"]]:
            for clips in pages(f"/api/projects/{project}/submissions", omit="transcripts"):
                seen.update((project, each["submissionId"]) for each in clips["submissions"])
    kept = {tuple(key.split("/")[:2]) for key in keys("") if key.count("/") == 2}
    for project, submission in seen | kept:
        mirror(project, submission)


# The place in the feed is also in the bucket, so the program needs no disk. Run one program per bucket.
once = "--once" in sys.argv
stored_cursor = s3("GET", "events.cursor")
after = {"after": stored_cursor.text} if stored_cursor else {}
mirror_all()
while True:
    try:
        feed = api("/api/events", params={"wait": 0 if once else 20, **after}).json()
    except requests.HTTPError as error:
        if error.response.status_code != 410:
            raise
        after = {"after": error.response.headers["Events-Oldest"]}  # Everything has just been compared.
        continue
    for event in feed["events"]:
        if event["submissionId"]:
            mirror(event["projectId"], event["submissionId"])
    after = {"after": feed["nextCursor"]}
    s3("PUT", "events.cursor", data=feed["nextCursor"])
    if once and feed["caughtUp"]:
        break
