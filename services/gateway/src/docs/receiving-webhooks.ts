import { GUIDE_SHELL } from './guide-shell.ts';
import { INSTALL_CLIENTS, RUN_TYPESCRIPT } from './install-clients.ts';
import { sampleBlock as code } from './read-sample.ts';

/** The guide for receivers of webhooks. A test runs its commands and programs unchanged. */
export const WEBHOOKS = `# Receive webhooks

${GUIDE_SHELL}
Set \`webhookUrl\`. To get signed events, also set \`webhookSecret\`. The body is
\`{"id", "type", "createdAt", "data": {"projectId", "projectName", "submission"}}\`. Headers: \`service-event\` (the type),
\`service-event-id\`, \`service-signature: sha256=<hex HMAC-SHA-256 of the body under the secret>\`, and \`webhook-id\`,
\`webhook-timestamp\`, \`webhook-signature\` as the Standard Webhooks libraries verify them.

| type | sent when | data.submission |
|---|---|---|
| submission.completed | a clip has landed; its media may not be ready yet | the submission at that time |
| submission.transcript.completed, submission.transcript.failed | its transcript is completed or has failed | the same |
| webhook.test | you request it, see below | null |

A project gets these only if its \`webhookEvents\` names them (POST and PATCH of projects):

| type | sent when | data |
|---|---|---|
| submission.media.completed | the thumbnails, the audio and the seekable video are ready; if \`mediaError\` says what the seekable video would lose, the video stays as uploaded | \`submission\` at that time |
| submission.media.failed | some of these parts could not be made: \`mediaError\` names them and says why. The other parts are ready, and the video can be fetched. After \`POST …/media\`, one of these two events is sent again | the same |
| response.completed | every answer of a contributor (outside interviews: the one clip) has landed. The submissions and their videos can be fetched. Thumbnails and audio follow with submission.media.completed, transcripts with submission.transcript.completed, often later | \`submission\` null, \`response\`: \`{responseSessionId, tokenId, submissionIds}\`; this \`responseSessionId\` is the \`responseId\` of its submissions, also outside interviews, where their own \`responseSessionId\` is null |
| webhook.failing | the endpoint has failed for 15 minutes, unless the operator chose another time; once until it accepts events again. It waits like the other events, so find it in webhook-deliveries, or get it when the endpoint works again | \`submission\` null, \`failingSince\`, \`lastStatusCode\` (null without an answer), \`lastError\`, \`unsentEvents\` |
| link.recording | a contributor has begun a response: once per response, not again when it continues. For a shared link, the clips name the person, not this event | \`submission\` null, \`link\`: \`{tokenId, recipient, metadata, recipientUrl, dueAt}\`, \`responseSessionId\` |
| link.reminder_due | a person who has sent nothing is to be reminded: at a time of the project's \`remind\`, or after \`POST …/links/<tokenId>/remind\` | \`submission\` null, \`link\` as above, \`number\` (1 for the first reminder of the link), \`stopUrl\` |
| link.closed | you disabled a link | \`submission\` null, \`link\` as above |
| project.created | the project was created with this event in its \`webhookEvents\` | \`submission\` null |
| project.updated | settings were changed, or the project was closed or reopened. A change of \`sharedLinkMaxUses\` has its own event | \`submission\` null, \`changed\`: the names of the settings, also \`expiresAt\`, \`webhookSecret\` and \`closed\`, without values |
| submission.erased | you or the operator erased it, or it reached the age limit that the operator set: delete your copies | \`submission\` null, \`submissionId\`, \`erasedAt\` |

\`webhooks\` in openapi.json describes each body, with a complete example; /api/docs shows them. New types and fields may be
added: ignore those that you do not know.

\`\`\`sh
HOOK=\${HOOK:-https://bakery.example/hooks/videos}   # your endpoint
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"webhookUrl": "'$HOOK'",
  "webhookEvents": ["submission.media.completed", "response.completed"]}'
\`\`\`

Each event is sent at least once, in no particular order. Recognise repeated events by their \`id\`. Do not rely on the order of arrival:
\`data.submission\` is the submission at the event's \`createdAt\`, so ignore an event that is older than one that you already have
(\`transcriptStatus\` and \`mediaStatus\` show the progress). If in doubt, fetch the submission.

\`data.submission\` has the \`recipient\` and the \`metadata\` of its link, and \`late\`, as they were when the event was recorded. If you
change the recipient later, retries and redeliveries still send the same bytes, and the next event has the new recipient.

\`POST /api/projects/<projectId>/webhook-test\` sends a test event at once and returns the outcome. Without a body it sends
webhook.test; with \`{"type": "submission.transcript.completed"}\` (any type above) it sends an event that looks like a real one. Every
test event has the header \`service-test: true\`. Its project is yours; no route knows its other ids. If you count events, refuse or
ignore tests.

\`webhookUrl\` must be https, on the public internet, without user name or password; only an operator can allow plain http and private
addresses, as \`npm start\` does. Answer 2xx within 15 s, and process the event later. After any other answer the service tries again:
after 5 s, 5 min, 30 min, 2 h, … and finally daily. It pauses an endpoint that accepts nothing for five days, or that answers 410. It
keeps the events of a paused endpoint, and sends all of them at once when you set \`webhookUrl\` again or a test event succeeds. Events of
a project without a \`webhookUrl\` are not sent later: read them from the feed (Reading events in [the API in prose](/api/docs.md)). The word \`service\` in the headers' names may be
another one here: ask the operator.

## The secret

Use \`whsec_\` and the base64 of 24 to 64 random bytes. Pass the whole text unchanged to a Standard Webhooks library.

\`\`\`sh
SECRET="whsec_$(head -c 32 /dev/urandom | base64)"
echo "$SECRET"   # keep it: no response shows it again
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"webhookSecret": "'$SECRET'"}'
\`\`\`

For \`webhook-signature\` the key is the decoded base64; after \`whsec_\`, anything but padded base64 is 400. Any other text is also a
valid secret: its UTF-8 bytes are the key, and the library needs these bytes, not the text. For \`service-signature\` the key is always
the UTF-8 bytes of the whole text, including \`whsec_\`.

## Verifying

Both signatures cover the raw bytes of the body, so verify them before you parse it. \`webhook-signature\` also covers the id and the
time, so that the library refuses requests older than five minutes:

${code('python', 'verify_webhook.py')}
The same in TypeScript:

${code('ts', 'verify-webhook.mts')}
\`service-signature\` needs no library:

${code('ts', 'service-signature.mts')}
${code('python', 'service_signature.py')}
## A receiver

A receiver verifies the raw bytes, stores the event, answers, and processes the event later. Frameworks parse JSON by default. To get
the raw bytes, use \`express.raw({ type: 'application/json' })\` in Express, a content type parser with \`parseAs: 'buffer'\` in Fastify,
\`request.get_data()\` in Flask, and \`request.body\` in Django. ${RUN_TYPESCRIPT}
If tsc compiles them, import \`./verify-webhook.mjs\`. Each receiver answers 401 to a wrong signature, as to the wrong secret.

${code('ts', 'receive-webhooks.mts')}
${code('python', 'receive_webhooks.py')}
With the TypeScript client, \`unwrap\` verifies and returns an event whose \`data\` is typed by its \`type\`. ${INSTALL_CLIENTS}

${code('ts', 'receive-with-client.mts')}
## On your laptop

\`rr listen\` fetches the events and sends them to a server on your machine, signed as the project signs. It needs no public address, and a laptop that
slept misses nothing. \`rr trigger\` causes a real event in a sandbox. Start one of the receivers above with the printed secret first.

\`\`\`sh rr
export RR_BASE_URL=https://record.example RR_TOKEN=$TOKEN
rr listen --print-secret   # start your receiver with this WEBHOOK_SECRET
rr trigger submission.completed
rr listen --forward-to "http://localhost:\${PORT:-8000}" --since 1h --until-idle
\`\`\`

Without \`--until-idle\` it goes on; with \`--cursor-file events.cursor\` it continues where it stopped.

## Changing the secret

\`PATCH\` a new \`webhookSecret\`. For 24 h, \`webhook-signature\` has one signature for each of the two secrets, so that the library
accepts either: change the secret of your receiver at any time within that day. \`service-signature\` uses the new secret from the next
attempt on: first make your receiver accept both (\`is_signed(body, headers, new, old)\`), then \`PATCH\`, then drop the old one. The
service retries refused events with a new signature. Another change within the day drops the oldest secret; \`""\` ends all signing at once.

## Looking, and sending again

The dashboard shows a notice while the endpoint fails or is paused.

\`\`\`sh
api "$BASE/api/projects/$PROJECT/webhook-deliveries?limit=10"   # each attempt, and the state of the endpoint
\`\`\`

If the project has a \`webhookUrl\`, you can send its events again:

\`\`\`bash
again() { api -X POST "$BASE/api/projects/$PROJECT/webhook-deliveries/redeliver" -H 'Content-Type: application/json' -d "$1"; }
again '{}'                                                                # every event of the project
again '{"from": "2026-03-02T10:00:00Z", "to": "2026-03-03T00:00:00Z"}'    # events of a time range, without its end
again '{"undeliveredOnly": true}'                                         # events that were not delivered yet
\`\`\`

To send one event again: \`POST …/webhook-deliveries/<deliveryId>/redeliver\`, without a body; this also sends to a paused endpoint. Ids
and bytes stay the same. More than 10,000 events at once are 400: choose a shorter time range. Without a \`webhookUrl\` both routes are
409: set one first. An event that the operator can no longer decrypt becomes \`failed\`; its \`attempts\` say so, and sending it again is
410 \`event_key_lost\`. Finished deliveries are deleted after 90 days, unless the operator chose another number.
`;
