# pip install requests
# TOKEN=api_… S3_ENDPOINT=https://… S3_BUCKET=… S3_ACCESS_KEY=… S3_SECRET_KEY=… python3 mirror.py [--once]
import hashlib
import hmac
import os
import re
import sys
import tempfile
import time
from datetime import datetime, timezone
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

import requests

for name in ("TOKEN", "S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY", "S3_SECRET_KEY"):
    if not os.environ.get(name):
        sys.exit(f"Set {name}.")
BASE = "https://record.example"
TOKEN = os.environ["TOKEN"]
S3 = os.environ["S3_ENDPOINT"].rstrip("/")
BUCKET = os.environ["S3_BUCKET"]
REGION = os.environ.get("S3_REGION", "us-east-1")
OWN = re.compile(r"([0-9a-f-]{36})/([0-9a-f-]{36})/(?:video|clip\.json)")  # The program touches no other names.


def api(path, method="GET", **options):
    """Sends a request to the API, and again if it asks to wait."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for _ in range(20):
        answer = requests.request(method, BASE + path, headers=headers, timeout=60, **options)
        if answer.status_code not in (429, 503):
            break
        time.sleep(int(answer.headers.get("Retry-After", 5)))
    return answer


def checked(answer):
    """Returns the answer. Ends the program with the sentence of an error."""
    if "Error-Code" in answer.headers:
        sentence = answer.json()["error"] if answer.content else answer.url
        sys.exit(f"{answer.status_code} {answer.headers['Error-Code']}: {sentence}")
    if not answer.ok or answer.headers.get("Content-Type", "").startswith("text/html"):
        sys.exit(f"{answer.url} answered {answer.status_code}, but not as the API does. Check BASE and the proxies before it.")
    return answer


def found(answer):
    """Returns None if the service itself says that there is no such thing: the 404 of a proxy has no Error-Code."""
    if answer.headers.get("Error-Code") in ("not_found", "gone", "submission_erased"):
        return None
    return checked(answer)


def s3(method, key="", query=None, data=None, headers=None):
    """Sends a request to the bucket, with AWS Signature Version 4. Returns None if there is no object to read."""
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
    if answer.ok:
        return answer
    if "<Code>NoSuchBucket</Code>" in answer.text:
        sys.exit(f"There is no bucket {BUCKET}: create it first.")
    if answer.status_code == 404 and key and method in ("GET", "HEAD"):
        return None
    sys.exit(f"{method} {S3}{path} answered {answer.status_code}. {answer.text[:500]}")


def keys():
    query = {"list-type": "2"}
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
    clip = found(api(path))
    info = found(api(f"{path}/video", "HEAD"))
    if clip is None or info is None:
        for name in ("video", "clip.json"):
            s3("DELETE", prefix + name)
        return
    stored = s3("HEAD", f"{prefix}video")
    if stored is None or stored.headers.get("x-amz-meta-sha256") != info.headers["ETag"].strip('"'):
        video, digest = found(api(f"{path}/video", stream=True)), hashlib.sha256()
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


def pages(path, read=checked, **query):
    cursor = None
    while True:
        page = read(api(path, params={**query, "limit": 100, **({"cursor": cursor} if cursor else {})}))
        if page is None:
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
            # A project that is erased meanwhile has no clips.
            for clips in pages(f"/api/projects/{project}/submissions", found, omit="transcripts"):
                seen.update((project, each["submissionId"]) for each in clips["submissions"])
    kept = {own.groups() for own in map(OWN.fullmatch, keys()) if own}
    for project, submission in seen | kept:
        mirror(project, submission)


def follow(after, once):
    """Follows the feed. Its place is also in the bucket, so the program needs no disk. Run one program per bucket."""
    while True:
        answer = api("/api/events", params={"wait": 0 if once else 20, **after})
        if answer.headers.get("Error-Code") == "cursor_expired":
            after = {"after": answer.headers["Events-Oldest"]}  # Everything has just been compared.
            continue
        feed = checked(answer).json()
        for event in feed["events"]:
            if event["submissionId"]:
                mirror(event["projectId"], event["submissionId"])
        after = {"after": feed["nextCursor"]}
        s3("PUT", "events.cursor", data=feed["nextCursor"])
        if once and feed["caughtUp"]:
            return


try:
    stored_cursor = s3("GET", "events.cursor")
    mirror_all()
    follow({"after": stored_cursor.text} if stored_cursor else {}, "--once" in sys.argv)
except requests.JSONDecodeError:
    sys.exit(f"{BASE} answered with something that is not JSON. Check the address and the proxies before it.")
except requests.RequestException as error:
    sys.exit(f"No answer: {error}")
