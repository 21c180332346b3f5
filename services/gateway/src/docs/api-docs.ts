import { ERROR_CODES } from '@recording-request/contract/error-codes';
import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { SETTING_DEFAULTS } from '@recording-request/contract/project-settings';
import type { Config } from '../config.ts';
import { DELETION } from './deletion.ts';
import { guidesOf } from './guides.ts';
import { ratesSentence } from './rates.ts';
import { READING_EVENTS } from './reading-events.ts';

const said = (limit: number) => limit.toLocaleString('en-US');

/** GET /api/docs.md: the API in prose, short enough to read whole, with commands that run when pasted. */
export const apiDocs = (baseUrl: string, config: Config): string => `# Recording Request Owner API, version 1.0.0

Collect video responses from other people: create a project, send its recording links, fetch the clips, transcripts and exports.
The machine-readable description is at ${baseUrl}/api/openapi.json, and as a page with search and samples in curl, TypeScript and Python
at ${baseUrl}/api/docs. Guides:

${guidesOf(config)
  .map(({ name, title, summary }) => `- [${title}](${baseUrl}/api/docs/${name}.md): ${summary}`)
  .join('\n')}

Every owner route requires \`Authorization: Bearer <API_TOKEN>\` (prefix \`api_\`). In a shell:

\`\`\`sh
BASE=${baseUrl}
TOKEN=\${TOKEN:-api_...}   # your token: the operator of the service creates it
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
save() { curl -sSf -H "Authorization: Bearer $TOKEN" -o "$@"; }   # save FILE ADDRESS: an error saves no file
api "$BASE/api/me"
\`\`\`

## Create a project

\`\`\`sh
[ -s project.key ] || head -c 18 /dev/urandom | base64 > project.key   # one key per project; keep the file for retries
api -X POST "$BASE/api/projects" -H 'Content-Type: application/json' -H "Idempotency-Key: $(cat project.key)" -d '{
  "projectName": "Customer stories", "count": 3, "sharedLinkEnabled": true, "sharedLinkMaxUses": 50,
  "maxDurationSec": 120, "transcriptionEnabled": true, "noteEnabled": true
}' | tee created.json
PROJECT=$(grep -o '"projectId":"[^"]*"' created.json | head -1 | cut -d'"' -f4)
\`\`\`

If no answer came, send the same \`Idempotency-Key\` and body again: within 24 hours you get the first answer, with
\`Idempotent-Replayed: true\`, and no second project. A new key for each try does not protect you. The order of the fields does not
matter; another body with the same key is 422. For the next project, make a new key (\`rm project.key\`).

Only \`projectName\` and \`count\` are required. Send each \`recipientUrls[].recipientUrl\` to one contributor; the shared link accepts
many. Only this answer shows \`projectToken\` and \`dashboardUrl\`: keep them private. \`apiUser\` in the answer shows your remaining
allowance; a creation beyond it is 403.

| field | default | limits |
|---|---|---|
| projectName | | 1–${LIMITS.projectNameLength} characters |
| count | | 1–${said(LIMITS.count)} single-recipient links |
| neverExpire, expiresInHours, expiresInDays | ${Number((config.linkExpiryDefaultSeconds / 86_400).toFixed(2))} days | the first one given wins, in this order; ≤ ${LIMITS.expiresInDays / 365} years |
| sharedLinkEnabled, sharedLinkMaxUses | false, ${SETTING_DEFAULTS.sharedLinkMaxUses} | 1–${said(LIMITS.sharedLinkMaxUses)} |
| maxDurationSec | ${SETTING_DEFAULTS.maxDurationSec} | 1–${LIMITS.maxDurationSec} |
| timeFactor | ${SETTING_DEFAULTS.timeFactor} | a number 1–${LIMITS.timeFactor}: see Give more time |
| transcriptionEnabled, noteEnabled, requireTerms, showSuccessDialog | false | |
| transcriptionLanguage | "" (detected) | an ISO 639-1 code such as \`en\`; set it for short clips and for languages other than English |
| requestUrl, webhookUrl | "" | absolute https URL (also http if the operator allows it), ≤ ${said(LIMITS.urlLength)} |
| webhookSecret | none | ≤ ${LIMITS.webhookSecretLength}; base64 after \`whsec_\` |
| webhookEvents | [] | events in addition to the standard ones; a PATCH replaces the list: see the guide [Receive webhooks](${baseUrl}/api/docs/webhooks.md) |
| termsLabel, termsText, successMessage | "" | ${said(LIMITS.termsLabelLength)}, ${said(LIMITS.termsTextLength)}, ${said(LIMITS.successMessageLength)} |
| answerModes | video, file | one or more of video, audio, file: see Ways to answer |
| script | "" | ${said(LIMITS.scriptLength)} characters: see A text to read |
| recipients | [] | the people of the first links, at most \`count\`: see the guide [People and reminders](${baseUrl}/api/docs/people.md) |
| brand | null | \`{name ≤ ${LIMITS.brandNameLength}, accent}\` or null: see Your name and colours |
| acceptReference | false | see Send the contributor back |
| returnUrl | "" | absolute https URL (also http if the operator allows it), ≤ ${said(LIMITS.urlLength)}; may have placeholders |
| retentionDays | null | null or 1–${said(LIMITS.retentionDays)}, not more than the operator's: see Delete by age |
| sandbox | false | only at creation: see Try it in a sandbox |
| remind | no times | \`afterDays\`: ≤ ${LIMITS.reminders} whole numbers 1–${LIMITS.remindAfterDays}; \`beforeDueHours\`: ≤ ${LIMITS.reminders}, 1–${said(LIMITS.remindBeforeHours)}. A \`webhookUrl\` gets the reminders only if \`webhookEvents\` has link.reminder_due; see the same guide |
| interviewQuestions | [] | ≤ ${LIMITS.interviewQuestions}, each 1–${LIMITS.questionLength}; each answer becomes a separate submission |

\`\`\`sh
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"neverExpire": true}'
api "$BASE/api/projects"
api "$BASE/api/projects?limit=20&q=stories"
api "$BASE/api/projects/$PROJECT"
api "$BASE/api/projects/$PROJECT/links"
save qr.png "$BASE/api/projects/$PROJECT/shared-link/qr.png"
\`\`\`

PATCH accepts the same fields except \`count\`, \`recipients\`, \`sharedLinkEnabled\` and \`sandbox\`; omitted fields stay unchanged, and a list that you send, such as \`webhookEvents\`, replaces the old one. \`""\` clears an address, a
secret or the language. No answer shows the secret, so keep it; a project's \`webhookSigned\` shows whether it has one.

\`GET /api/projects\` lists all projects in one answer. With \`limit\` (1–${LIMITS.linkPageSize}), \`cursor\` or \`q\` (words in the name; parts of words match, letter
case does not matter) it answers one page, with \`pagination.nextCursor\`.

A link is \`exhausted\` once the first answer of each response that it accepts has landed. Its \`completedAt\` is null until a response
is complete; in an interview, the last answer completes it. A shared link shows its latest completion. A contributor can continue an
interview of a single-recipient link on any device.

### Delete by age

With \`retentionDays\`, each clip of the project is erased that many days after its \`createdAt\`, for good: nothing brings it back. A
changed value applies at once, also to clips that have landed: a shorter one can erase many clips within minutes. If the
operator erases clips earlier, that applies, and a longer value is 400. The event \`submission.erased\` reports each erased clip; the
feed keeps its events without their data. The last clip of a response takes the person of its link along (see Deletion).

### Try it in a sandbox

\`"sandbox": true\` in a creation makes a project for tests. It uses nothing of your allowance, its clips have at most ${LIMITS.sandboxDurationSec} s
(\`maxDurationSec\` is ${LIMITS.sandboxDurationSec} unless you set less), and the recorder says that it is a test. At \`sandboxEndsAt\`, about a day after its creation, the project is
erased for good, with its links, people, clips and the data of its events; its links expire then at the latest. A webhook that waits is not
sent any more. A longer take is refused like any take that is longer than its limit: the contributor can record again.

You can create ${LIMITS.sandboxes} sandboxes a day (then 403 with \`Error-Code: sandbox_limit\`). A sandbox takes ${said(LIMITS.sandboxClips)} clips: its responses, times the questions of an
interview. \`sandbox\` is true on the project, its links and submissions, in \`export.json\` and in the \`data\` of webhooks and of the feed; false
everywhere else. A project stays what it is: PATCH does not take the field.

### Give more time

With \`timeFactor\`, contributors may record longer: \`maxDurationSec\` times this number, rounded to seconds. A link can have its own \`timeFactor\`, in
\`recipients\`, in \`POST …/links\` (JSON, or a column of the CSV file) and in \`PATCH …/links/<tokenId>\`; it replaces that of the project, and null removes it. The recorder shows
and ends each take by the result; a response keeps the limit with which it began. A sandbox stays at ${LIMITS.sandboxDurationSec} s.

The factor may say something about a person. So only \`GET\` and \`PATCH\` of a project and its links show it, to API tokens: exports, events and the
dashboard never do, and \`project.updated\` does not name it.

### Ways to answer

\`answerModes\` says how contributors may answer: \`video\` (recorded with the camera), \`audio\` (only the sound is recorded) and \`file\` (a video that they
choose). The recorder offers these ways, and an upload in another one is 400 \`answer_mode_refused\`. Every submission has a video: that of an audio
answer shows a still picture. \`answerMode\` of a submission is what the recorder says, null if it does not say. \`signed\` is true where the contributor
said “I sign”: the clip may be silent.

### A text to read

\`script\` is a text that contributors can read while they record; lines that begin with \`- \` are bullet points. It is not in the page: the recorder loads
\`GET ${baseUrl}/r/vr_…/script\` (\`text/plain\`) when somebody wants to read it, and opening it claims no use. A response keeps the script with which it
began, like its questions. The text is never in the recording.

### Your name and colours

\`brand\` is what contributors see on the recorder: \`name\` says who asks, and \`accent\` is the colour of buttons, such as \`#8c2f39\`. A colour
needs a contrast of at least 3:1 with white, else 400; the pages derive darker and lighter shades for texts. A field that a project leaves out
comes from your own brand, then from the operator. A brand replaces the old one; \`null\` removes name and colour. It applies at once.

\`\`\`sh
api -X PATCH "$BASE/api/me" -H 'Content-Type: application/json' -d '{"brand": {"name": "Corner Bakery", "accent": "#8c2f39"}}'
api -X PUT "$BASE/api/projects/$PROJECT/logo" -H 'Content-Type: image/png' --data-binary @logo.png
api -X DELETE "$BASE/api/projects/$PROJECT/logo"
\`\`\`

A logo is a PNG, JPEG or WebP image of at most ${LIMITS.logoBytes / 1024} KiB and ${said(LIMITS.logoPixels)} pixels on each side; its bytes decide, not the header, and SVG is refused. With
a logo, \`brand\` in answers has its \`logoUrl\` (else null), which needs the same token. Contributors get it from their link. A change of the
brand or the logo sends the event \`project.updated\` with \`brand\`. Both are erased with the project.

### Send the contributor back

With \`acceptReference\`, add your own key to the shared link: \`${baseUrl}/r/vr_…?ref=P-17\` (≤ ${LIMITS.recipientTextLength} characters). The response keeps it; its clips
show it as \`recipient.reference\` with \`verified: false\`, because the contributor can change the address. Links for one person ignore it.

\`returnUrl\` is where the contributor can go after the last clip: the page shows its host on a button. In its path and query,
\`{reference}\`, \`{submissionId}\` (of the first answer) and \`{code}\` are replaced, percent-encoded. \`code\` is a completion code such as
7K3F9QXA, unique in the project; the upload interface shows it as \`completionCode\`. A contributor can state any code: only one
that you find belongs to a complete response.

## Fetch what was recorded

\`\`\`sh
api "$BASE/api/projects/$PROJECT/submissions?limit=10&transcriptStatus=completed"
api "$BASE/api/projects/$PROJECT/submissions?selected=true"
\`\`\`

| parameter | keeps only submissions |
|---|---|
| selected | whose \`selected\` is \`true\` or \`false\` |
| transcriptStatus, mediaStatus | in that state, see below |
| q | with all these words (the first eight; parts of words match; letter case and Unicode normal form do not matter: \`GRÜSSE\` finds Grüße) in the transcript, a note or the question; not in the recipient, which is stored encrypted |
| tokenId, responseSessionId | that came through this link; whose \`responseId\` is this value |
| reference | whose \`recipient\` has exactly this \`reference\` |
| code | of the response with this completion code |
| createdAfter, createdBefore | whose \`createdAt\` is strictly after, or strictly before, this time; include the zone, such as \`2026-03-02T10:00:00Z\` (write + as %2B) |
| changedAfter | whose \`changedAt\` is strictly after this time: they landed, or changed in any part |

\`omit=transcripts\` makes \`transcriptText\` and \`transcriptVtt\` null, for a short answer.

To poll, use \`changedAfter\` with a few seconds of overlap: \`createdAt\` is the time at which the upload was complete, shortly before
the clip appears. Every owner route answers 400 to an unknown or repeated parameter, and the error names it.

Submissions are listed newest first, ${DEFAULTS.pageSize} per page (\`limit\` 1–${LIMITS.pageSize}). When \`pagination.nextCursor\` is a string, send it as \`cursor\`
to get the next page. Only \`nextCursor\` shows whether there is another page. A page of the dashboard ends earlier if its texts exceed 512 KiB.
Each submission has \`videoUrl\`, \`audioUrl\`, \`thumbnailStartUrl\`, \`thumbnailMiddleUrl\`, \`thumbnailEndUrl\`, \`transcriptTextUrl\` and
\`transcriptVttUrl\`; fetch them with the same header. Video and audio are \`application/octet-stream\` with byte ranges, ETag
and HEAD, and a file name (the project, the number of the link or the clip's time, the question); \`mimeType\` is the true type. The ETag
is the hex SHA-256 of the served bytes, in quotes: compare it with your copy. (A submission's \`sha256\` is the hash of the uploaded
bytes, which the service remuxes later.) A file that does not exist yet is 404.
\`…/transcript.srt\` has the same captions as SubRip. Captions have at most two lines of 42 letters, stay 1 to 7 seconds, and do not overlap.

\`\`\`sh
SUBMISSION=$(api "$BASE/api/projects/$PROJECT/submissions?limit=1" | grep -o '"submissionId":"[^"]*"' | head -1 | cut -d'"' -f4)
save video.webm "$BASE/api/projects/$PROJECT/submissions/$SUBMISSION/video"   # with -OJ, curl takes the name of the answer
api "$BASE/api/projects/$PROJECT/submissions/$SUBMISSION/transcript.vtt"
\`\`\`

A submission shows what you stated about its link: \`recipient\` (\`{name, reference, email, locale, verified}\`, or null) and \`metadata\`
(\`{}\` without any), always in their present state. On the shared link, \`recipient\` has the \`reference\` that the contributor's address stated,
with \`verified: false\`. \`late\` is true if the clip landed after the link's \`dueAt\`. A change of the recipient, the metadata or \`dueAt\`
is a change of the link's clips: it sets their \`changedAt\`.

Fetch one submission: \`GET /api/projects/<projectId>/submissions/<submissionId>\`.

\`/api/me\`, projects, links, submissions, transcripts and webhook deliveries have an ETag. A mirror that sends it as \`If-None-Match\` gets 304
without a body if nothing has changed. A list that is too long for one piece is streamed without an ETag: then request only the changes
(\`changedAfter\`), or the project, whose \`stats\` change with its links and clips.

\`responseId\` names the response that a clip belongs to. The upload interface, the filter and the event \`response.completed\` call it
\`responseSessionId\`. A submission's own \`responseSessionId\` is the same id in an interview, and null in a project without questions.

\`mediaStatus\` is \`processing\`, \`ready\` (the seekable video, the thumbnails and the audio exist; a clip without sound has no audio), or
\`failed\` (\`mediaError\` says why). The video is available in every state: first as uploaded, then as the stored copy once that exists.
If a stored copy would lose something, the upload stays the video, also at \`ready\`, and \`mediaError\` names the loss.
\`transcriptStatus\` is \`pending\`, \`processing\`, \`completed\`, \`failed\`, \`disabled\` (transcription was off), or null (no sound).
\`language\` is the recognised language, as an ISO 639-1 code (639-3 if it has none); null if nothing was said or the language is unknown.

### Review a clip

\`selected\`, \`reviewNote\` and \`rating\` (1–${LIMITS.rating}, or null) are on every submission. Notes at a time of the clip have their own route, because there may be many:

\`\`\`sh
CLIP="$BASE/api/projects/$PROJECT/submissions/$SUBMISSION"
api -X PATCH "$CLIP" -H 'Content-Type: application/json' -d '{"selected": true, "reviewNote": "For the front page"}'
api -X PUT "$CLIP/review" -H 'Content-Type: application/json' -d '{"rating": 5}'
api -X POST "$CLIP/notes" -H 'Content-Type: application/json' -d '{"atSec": 12.5, "text": "Begin here"}'
api "$CLIP/review"   # the rating and the notes
\`\`\`

A clip has at most ${LIMITS.timedNotes} notes. Give a note an \`id\` (a UUID) to repeat a request safely. \`DELETE …/notes/<noteId>\` removes it.

## Exports

\`\`\`sh
save project.zip "$BASE/api/projects/$PROJECT/export/project.zip"
save transcripts.txt "$BASE/api/projects/$PROJECT/export/transcripts.txt?selected=true"
save transcripts.zip "$BASE/api/projects/$PROJECT/export/transcripts.zip"
save submissions.csv "$BASE/api/projects/$PROJECT/export.csv"
save export.json "$BASE/api/projects/$PROJECT/export.json"
\`\`\`

\`transcripts.zip\` has a \`.txt\`, a \`.vtt\` and a \`.srt\` for each clip with a completed transcript, named like the videos in project.zip:
in the folder of its video, players find the captions by that name. Without such a clip it has only a README.txt that says so; with more
than ${LIMITS.transcriptsZipClips.toLocaleString('en')} such clips it is 409.

\`identities=none\` leaves out the people and the metadata of links: \`recipient\` is null and \`metadata\` is {} on submissions and links, the
CSV's cells are empty, and transcripts.txt has no names. What contributors say and write stays. The CSV has \`recipientName\`,
\`recipientReference\`, \`recipientEmail\`, \`recipientLocale\`, \`recipientVerified\`, \`metadata\` (as JSON), \`late\`, \`changedAt\`, \`sandbox\` and \`rating\` at its end.
\`project.zip?names=reference\` begins the names of the video files with the reference of the person; letters that Windows, macOS or Linux
refuse become spaces, and a name has at most 100 bytes.

\`selected\` and \`transcriptStatus\` filter both ZIPs and transcripts.txt. \`export.csv?bom=1\` begins with a byte order mark, so that
spreadsheets recognise UTF-8. The dashboard's exports, below, accept \`bom\` and ignore every other parameter. The CSV quotes every text. A
text that a spreadsheet would read as a formula begins with an extra \`'\`. The CSV also inserts a \`'\` after each \`;\`, tab and line break
before such a text, because a spreadsheet with the separator \`;\` or tab starts a cell there. Exports include links if the token has
\`links:read\`. An export that fails breaks the connection, so that curl fails. The number of exports that are read at once is limited: one
more is 429 with \`Retry-After\`.

All parts of project.zip show the clips that existed when it began. If one of them is erased meanwhile, or its video cannot be read, or the
recipient, metadata or \`dueAt\` of its link changes, the download breaks off. The next download is complete, without an erased clip, and its
\`missing.txt\` lists the unreadable videos. You can resume an
interrupted download of project.zip until a day after its last byte: send \`Range: bytes=<number of bytes that you have>-\` with
\`If-Range: <its ETag>\`. 206 is the rest, whatever landed meanwhile; 200 is another archive, from its start. Without \`If-Range\`, as
\`curl -C -\` sends it, you get the rest only while no newer archive was opened; otherwise you get 200.

The private dashboard token reads the same files and the QR code without a header:
\`$BASE/project/<projectToken>/export.json\`, \`…/export.csv\`, \`…/export/project.zip\`, \`…/export/transcripts.txt\`, \`…/export/transcripts.zip\`, \`…/shared-link/qr.png\`.

${READING_EVENTS}
${DELETION}
## Scopes

| scope | for |
|---|---|
| profile:read | /api/me |
| projects:read | listing and reading projects |
| projects:write | creating and updating projects, and the extensions that change something |
| links:read | links, the QR code |
| submissions:read | submissions, transcripts, media, exports, webhook deliveries |
| events:read | /api/events: the events of all projects, with the submissions and texts in them |
| projects:erase | erasing submissions, links and projects for good |

A token has all scopes unless the operator of the service made it with fewer: \`npm run admin -- tokens create USERID --scopes projects:read,links:read\`.
Your \`userId\` is in \`GET /api/me\`. No route of the API makes tokens.

## Errors

Every error is \`{"error": "<one sentence that says what to change>"}\`. The statuses are 400 for invalid values (the sentence names each,
at most ten); 401 for the token; 403 for the scope or the allowance; 404 for a resource that does not exist or is not yours; 405, 413 and
415; 409 for a conflict with the current state, or an Idempotency-Key in use (repeat after \`Retry-After\`; the key is free within 30 s);
410 for an event of erased data (reading erased data is 404), or for a cursor of the feed that has expired; 416 for the range; 422 for an Idempotency-Key that was used with another body; 429 for too many requests, or too many
exports or videos read at once (\`Retry-After\`, \`RateLimit\`, \`RateLimit-Policy\`); 503: try again after \`Retry-After\`.

The sentence is for people. Programs should read the header \`Error-Code\`. Its words keep their meaning; new ones may be added:

| Error-Code | when |
|---|---|
${Object.entries(ERROR_CODES)
  .map(([word, when]) => `| ${word} | ${when} |`)
  .join('\n')}

Every answer has the header \`Request-Id\`. With it, the operator finds the request's trace and log lines.

## Limits

${ratesSentence(config)} The headers \`RateLimit\` and \`RateLimit-Policy\` show how many requests are left.

## Clients

For TypeScript and JavaScript, \`npm install @recording-request/client\`: it retries, reads pages, resumes downloads, follows the feed and verifies
webhooks. For a terminal, \`npx @recording-request/cli --help\`. The packages are not in a public registry yet: in the repository of the service,
\`npm run clients -- --pack DIR\` makes them, and \`npm install DIR/recording-request-*.tgz\` installs them.

openapi.json is OpenAPI 3.1. openapi-typescript, @hey-api/openapi-ts, openapi-generator and datamodel-codegen accept it unchanged. A status in an answer is a text;
its current values are in \`x-extensible-enum\` and in the description, so that a client does not fail at a new one. In requests, each
enumeration is a closed list. openapi-python-client does not support images, archives and tus bodies by itself: pass it this file with \`--config\`:

\`\`\`yaml
content_type_overrides:
  image/png: application/octet-stream
  image/jpeg: application/octet-stream
  application/zip: application/octet-stream
  video/*: application/octet-stream
  audio/*: application/octet-stream
  application/offset+octet-stream: application/octet-stream
\`\`\`

For the upload interface use a tus client, not a generated one: ${baseUrl}/api/docs/recorder.

## What may change within version 1

Answers may get new fields, statuses new values, webhooks new types, and \`Error-Code\` new words: ignore those that you do not know.
Nothing that is described is removed or changes its meaning. Request bodies stay strict: a misspelt field is a 400. CHANGELOG.md of the
project lists the changes.

## Extensions

With the API token, in addition to the routes above:
\`PATCH /api/projects/<projectId>/submissions/<submissionId>\` \`{selected?, reviewNote?}\` ·
\`GET\` and \`PUT …/submissions/<submissionId>/review\` \`{rating}\`, \`POST …/submissions/<submissionId>/notes\` \`{id?, atSec, text}\`, \`DELETE …/notes/<noteId>\` ·
\`POST …/submissions/<submissionId>/transcript\` requests a failed transcript again · \`POST …/submissions/<submissionId>/media\` requests
video, thumbnails and audio again if \`mediaStatus\` is \`failed\`, or \`ready\` with a \`mediaError\`, while the upload is kept (otherwise 409) ·
\`PATCH /api/projects/<projectId>/links/<tokenId>\` \`{disabled?, remindersStopped?, recipient?, metadata?, dueAt?}\` ·
\`POST /api/projects/<projectId>/link-actions\` \`{action, tokenIds}\` reminds, disables or enables up to ${LIMITS.linkActions} links ·
\`POST /api/projects/<projectId>/links\`, \`GET /api/projects/<projectId>/links.csv\` ·
\`POST /api/projects/<projectId>/close\` (its links accept no new responses; responses that have begun may finish) and \`…/reopen\`; a project's \`closedAt\` shows it. A closed project still takes people, whose links work after \`…/reopen\` ·
\`GET /api/projects/<projectId>/webhook-deliveries\` (every attempt, and the state of the endpoint),
\`POST …/webhook-deliveries/<deliveryId>/redeliver\`, \`POST …/webhook-deliveries/redeliver\` \`{from?, to?, undeliveredOnly?}\`,
\`POST /api/projects/<projectId>/webhook-test\` · \`GET /api/events\` (every event of all projects: see Reading events) · \`POST /api/projects/<projectId>/dashboard-token\` creates a new dashboard token.

With the dashboard token in the path, read-only: \`GET /project/<projectToken>/overview\` (figures and sizes; ETag),
\`…/submissions\` (like the owner's), \`…/submissions/<submissionId>\` and its media and transcripts with their
true media types, \`…/links\` page by page, \`…/webhook-endpoint\` (whether the endpoint accepts events), \`…/export/selected.zip\`.
`;
