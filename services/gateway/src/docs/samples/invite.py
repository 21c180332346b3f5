# pip install requests
# TOKEN=api_… python3 invite.py PROJECT people.csv
import os
import sys

import requests

project, file = sys.argv[1:3]
LINKS = f"https://record.example/api/projects/{project}/links"
api = requests.Session()
api.headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"


def ask(method, **options):
    """Returns the JSON of an answer. Ends the program with the sentence of an error."""
    answer = api.request(method, LINKS, timeout=60, **options)
    if not answer.ok:
        sys.exit(f"{answer.status_code} {answer.headers.get('Error-Code')}: {answer.json()['error']}")
    return answer.json()


with open(file, "rb") as table:
    people = {"data": table.read(), "headers": {"Content-Type": "text/csv"}}

# Names every wrong cell, and creates nothing.
invalid = ask("POST", params={"dryRun": "true"}, **people)["invalid"]
for row in invalid:
    print(f"{file}:{row['line']}: {row['field']}: {row['reason']}", file=sys.stderr)
if invalid:
    sys.exit(1)

# Run the program again with a longer table: people who have a link are left out.
added = ask("POST", params={"onDuplicate": "skip"}, **people)
print(f"{added['created']} invited, {len(added['skipped'])} had a link.")
cursor = {}
while True:
    page = ask("GET", params={"state": "invited", "limit": 100, **cursor})
    for link in page["recipientUrls"]:
        person = link["recipient"] or {}
        print(person.get("name"), person.get("email"), link["recipientUrl"], sep="\t")
    if not page["pagination"]["nextCursor"]:
        break
    cursor = {"cursor": page["pagination"]["nextCursor"]}
