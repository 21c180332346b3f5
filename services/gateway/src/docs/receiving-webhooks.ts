import { readSample } from './read-sample.ts';

const code = (language: string, file: string) => `\`\`\`${language}\n${readSample(file)}\`\`\`\n`;

/** The chapter of docs.md for receivers of webhooks. A test runs its commands, TypeScript and Python unchanged. */
export const RECEIVING_WEBHOOKS = `## Receiving webhooks

Set \`webhookUrl\`, and \`webhookSecret\` to have the events signed. The body is
\`{"id", "type", "createdAt", "data": {"projectId", "projectName", "submission"}}\`. Headers: \`service-event\` (the type),
\`service-event-id\`, \`service-signature: sha256=<hex HMAC-SHA-256 of the body under the secret>\`, and \`webhook-id\`,
\`webhook-timestamp\`, \`webhook-signature\` as the Standard Webhooks libraries verify them.

| type | sent when | data.submission |
|---|---|---|
| submission.completed | a clip has landed; its media may still be in the making | the Submission of that moment |
| submission.transcript.completed, submission.transcript.failed | its transcript has ended | the same |
| webhook.test | you ask for it, see below | null |

These come only where the project's \`webhookEvents\` names them (POST and PATCH of projects):

| type | sent when | data |
|---|---|---|
| submission.media.completed | the thumbnails and the audio are there, and the seekable video, unless \`mediaError\` says what it would lose: then the video stays as it was uploaded | \`submission\` of that moment |
| submission.media.failed | some of them could not be made: \`mediaError\` names the parts and says why. The other parts are there, and the video can be fetched. Both come again after \`POST …/media\` | the same |
| response.completed | a contributor has given every answer, or the one clip outside interviews, and all have landed: the submissions and their videos can be fetched; thumbnails and audio come with submission.media.completed, transcripts with submission.transcript.completed, often later | \`submission\` null, \`response\`: \`{responseSessionId, tokenId, submissionIds}\`; this \`responseSessionId\` is the \`responseId\` of its submissions, also outside interviews, where their own \`responseSessionId\` is null |
| submission.erased | the operator, or the age that they set, has erased it: delete what you have of it | \`submission\` null, \`submissionId\`, \`erasedAt\` |

\`webhooks\` in openapi.json describes each body, with a whole example, and /api/docs shows them. More types and fields may be
added: ignore what you do not know.

\`\`\`sh
HOOK=\${HOOK:-https://bakery.example/hooks/videos}   # your endpoint
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"webhookUrl": "'$HOOK'",
  "webhookEvents": ["submission.media.completed", "response.completed"]}'
\`\`\`

Events come at least once, in no particular order. Tell by the \`id\` what you had, and go by what the body says, not by which event
came last: \`data.submission\` is the submission at the event's \`createdAt\`, so where a later one is here already, pass over the earlier
(\`transcriptStatus\` and \`mediaStatus\` say how far it was). In doubt, fetch the submission.

A test event is sent at once, and the answer tells what came of it: \`POST /api/projects/<projectId>/webhook-test\`, without a body for
webhook.test, or with \`{"type": "submission.transcript.completed"}\` (any type above) for one that looks like a real one. Every test has
the header \`service-test: true\`; its project is yours, its other ids are known to no route. Refuse or ignore tests where you count.

\`webhookUrl\` is https, on the public internet, without user name or password; only an operator can allow plain http and private
addresses, as \`npm start\` does. Answer 2xx within 15 s, and work on the event later. Other answers are tried again after 5 s,
5 min, 30 min, 2 h, … and at last daily. An endpoint that takes nothing for five days, or answers 410, is paused: events are kept, and all
are sent, at once, when you set \`webhookUrl\` again or a test event succeeds. What happens while a project has no \`webhookUrl\` is not recorded
for it: list the submissions. \`service\` in the headers' names may be another word here: ask the operator.

### The secret

\`whsec_\` and the base64 of 24 to 64 random bytes. Give the whole text to a Standard Webhooks library, unchanged.

\`\`\`sh
SECRET="whsec_$(head -c 32 /dev/urandom | base64)"
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"webhookSecret": "'$SECRET'"}'
\`\`\`

For \`webhook-signature\` the key is what the base64 decodes to; after \`whsec_\` anything but base64 with its padding is 400. Any other
text is a secret, too: its UTF-8 bytes are the key, and the library wants these bytes, not the text. For \`service-signature\` the key
is always the UTF-8 bytes of the whole text as you wrote it, \`whsec_\` included.

### Verifying

Both are over the body's bytes as they came, before anything parses them. \`webhook-signature\` also covers the id and the time, so that
the library refuses what is older than five minutes:

${code('python', 'verify_webhook.py')}
The same in TypeScript:

${code('ts', 'verify-webhook.ts')}
\`service-signature\` needs no library:

${code('ts', 'service-signature.ts')}
${code('python', 'service_signature.py')}
### A receiver

It verifies the bytes as they came, keeps the event, answers, and does the work later. Frameworks parse JSON unless told otherwise:
in Express \`express.raw({ type: 'application/json' })\`, in Fastify a content type parser with \`parseAs: 'buffer'\`, in Flask
\`request.get_data()\`, in Django \`request.body\`. (Node 22.18 and newer run TypeScript; where tsc emits it, import \`./verify-webhook.js\`.)

${code('ts', 'receive-webhooks.ts')}
${code('python', 'receive_webhooks.py')}
### Changing the secret

\`PATCH\` another \`webhookSecret\`. For 24 h \`webhook-signature\` carries a signature with each of the two, so that the library verifies with
either: change yours at any time of that day. \`service-signature\` is made with the new one from the next attempt on: first let your
receiver take both (\`is_signed(body, headers, new, old)\`), then \`PATCH\`, then drop the old one. What was refused between is tried
again, with a fresh signature. A further change within the day drops the oldest; \`""\` ends all signing at once.

### Looking, and sending again

\`\`\`sh
api "$BASE/api/projects/$PROJECT/webhook-deliveries?limit=10"   # each attempt, and how the endpoint does
\`\`\`

Where the project has a \`webhookUrl\`, its events can be sent again:

\`\`\`bash
again() { api -X POST "$BASE/api/projects/$PROJECT/webhook-deliveries/redeliver" -H 'Content-Type: application/json' -d "$1"; }
again '{}'                                                                # every event of the project
again '{"from": "2026-03-02T10:00:00Z", "to": "2026-03-03T00:00:00Z"}'    # those of a time, the end not included
again '{"undeliveredOnly": true}'                                         # those that were not taken yet
\`\`\`

One: \`POST …/webhook-deliveries/<deliveryId>/redeliver\`, without a body; it goes to a paused endpoint too. Ids and bytes stay as they were.
More than 10,000 at once are 400: choose a shorter time. Without a \`webhookUrl\` both are 409: set one first. Deliveries that are over are forgotten after 90 days, unless the operator
chose another number.

### Deletion

No route deletes. Ask the operator, with the submissionId or projectId: they erase it, and can show that nothing is left. Of an erased
submission \`webhook-deliveries\` still lists ids, kind, times and outcome, never what was sent; sending it again is 410, and what had
not been taken is \`erased\`. Of an erased project there is nothing to see: 404. Your endpoint is told by
submission.erased where the project asks for it, but not of a whole project; what it has is yours to delete.
`;
