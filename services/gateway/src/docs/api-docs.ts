import { ERROR_CODES } from '@recording-request/contract/error-codes';
import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { SETTING_DEFAULTS } from '@recording-request/contract/project-settings';
import type { Config } from '../config.ts';
import { ratesSentence } from './rates.ts';
import { RECEIVING_WEBHOOKS } from './receiving-webhooks.ts';

const said = (limit: number) => limit.toLocaleString('en-US');

/** GET /api/docs.md: the API in prose, short enough to read whole, with commands that run when pasted. */
export const apiDocs = (baseUrl: string, config: Config): string => `# Recording Request Owner API, version 1.0.0

Collect video responses from other people: create a project, send its recording links, fetch the clips, transcripts and exports.
The machine-readable description is at ${baseUrl}/api/openapi.json, and as a page with search and samples in curl, TypeScript and Python
at ${baseUrl}/api/docs. How to record through a link with a client of your own: ${baseUrl}/api/docs/recorder.

Every owner route takes \`Authorization: Bearer <API_TOKEN>\` (prefix \`api_\`). In a shell:

\`\`\`sh
BASE=${baseUrl}
TOKEN=\${TOKEN:-api_...}   # your token
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
api "$BASE/api/me"
\`\`\`

## Create a project

\`\`\`sh
[ -s project.key ] || head -c 18 /dev/urandom | base64 > project.key   # once for each project; kept, so that a retry sends the same
api -X POST "$BASE/api/projects" -H 'Content-Type: application/json' -H "Idempotency-Key: $(cat project.key)" -d '{
  "projectName": "Customer stories", "count": 3, "sharedLinkEnabled": true, "sharedLinkMaxUses": 50,
  "maxDurationSec": 120, "transcriptionEnabled": true, "noteEnabled": true
}' | tee created.json
PROJECT=$(grep -o '"projectId":"[^"]*"' created.json | head -1 | cut -d'"' -f4)
\`\`\`

Send the same \`Idempotency-Key\` and body again where no answer came: within 24 hours you get the first answer, with
\`Idempotent-Replayed: true\`, and no second project. A new key for each try protects nothing. The order of the fields does not count; another
body under the same key is 422. For the next project, make another key (\`rm project.key\`).

Only \`projectName\` and \`count\` are required. Send each \`recipientUrls[].recipientUrl\` to one contributor; the shared link takes
many. \`projectToken\` and \`dashboardUrl\` are shown this once: keep them private. The answer's \`apiUser\` tells what is left of
your allowance; a creation beyond it is 403.

| field | default | limits |
|---|---|---|
| projectName | | 1–${LIMITS.projectNameLength} characters |
| count | | 1–${said(LIMITS.count)} single-recipient links |
| neverExpire, expiresInHours, expiresInDays | ${Number((config.linkExpiryDefaultSeconds / 86_400).toFixed(2))} days | the first that is given wins, in this order; ≤ ${LIMITS.expiresInDays / 365} years |
| sharedLinkEnabled, sharedLinkMaxUses | false, ${SETTING_DEFAULTS.sharedLinkMaxUses} | 1–${said(LIMITS.sharedLinkMaxUses)} |
| maxDurationSec | ${SETTING_DEFAULTS.maxDurationSec} | 1–${LIMITS.maxDurationSec} |
| transcriptionEnabled, noteEnabled, requireTerms, showSuccessDialog | false | |
| transcriptionLanguage | "" (found out) | an ISO 639-1 code such as \`en\`; name it for short clips and for languages other than English |
| requestUrl, webhookUrl | "" | absolute https URL (http too where the operator allows it), ≤ ${said(LIMITS.urlLength)} |
| webhookSecret | none | ≤ ${LIMITS.webhookSecretLength}, and after \`whsec_\` base64 |
| webhookEvents | [] | events beside those that always come: see Receiving webhooks |
| termsLabel, termsText, successMessage | "" | ${said(LIMITS.termsLabelLength)}, ${said(LIMITS.termsTextLength)}, ${said(LIMITS.successMessageLength)} |
| interviewQuestions | [] | ≤ ${LIMITS.interviewQuestions}, each 1–${LIMITS.questionLength}; each answer becomes a submission of its own |

\`\`\`sh
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"neverExpire": true}'
api "$BASE/api/projects"
api "$BASE/api/projects/$PROJECT"
api "$BASE/api/projects/$PROJECT/links"
api "$BASE/api/projects/$PROJECT/shared-link/qr.png" -o qr.png
\`\`\`

PATCH takes the same fields but \`count\` and \`sharedLinkEnabled\`; what it leaves out stays. \`""\` clears an address, a secret or the language.
The secret is never shown; \`webhookSigned\` of a project tells whether there is one.

A link is \`exhausted\` once the first answer of each response it takes has landed. Its \`completedAt\` is null until a response is complete, which in an
interview is the last answer; a shared link shows the latest. A contributor can continue an interview of a single-recipient link on any device.

## Fetch what was recorded

\`\`\`sh
api "$BASE/api/projects/$PROJECT/submissions?limit=10&transcriptStatus=completed"
api "$BASE/api/projects/$PROJECT/submissions?selected=true"
\`\`\`

| parameter | keeps only submissions |
|---|---|
| selected | whose \`selected\` is \`true\` or \`false\` |
| transcriptStatus, mediaStatus | in that state, see below |
| q | with all these words (the first eight; parts of words count, letter case and Unicode normal form do not: \`GRÜSSE\` finds Grüße) in the transcript, a note or the question |
| tokenId, responseSessionId | that came through this link, or whose \`responseId\` is this one |
| createdAfter, createdBefore | whose \`createdAt\` is after, or before, this time, not at it; with its zone, such as \`2026-03-02T10:00:00Z\` (a + is written %2B) |
| changedAfter | that came or changed after this time, not at it |

Who polls uses \`changedAfter\` with a few seconds of overlap: \`createdAt\` is the time at which the upload was whole, a little before the
clip shows. A name that the route does not take is a 400 that says so, on every owner route, and so is a name that is given twice.

Newest first, ${DEFAULTS.pageSize} a page (\`limit\` 1–${LIMITS.pageSize}). When \`pagination.nextCursor\` is a string, send it as \`cursor\` for the next page.
\`nextCursor\` alone tells whether there is another page. A dashboard's page ends earlier where its texts have more than 512 KiB together.
Each submission has \`videoUrl\`, \`audioUrl\`, \`thumbnailStartUrl\`, \`thumbnailMiddleUrl\`, \`thumbnailEndUrl\`, \`transcriptTextUrl\` and
\`transcriptVttUrl\`, fetched with the same header. Video and audio are \`application/octet-stream\` with byte ranges, ETag
and HEAD, and a file name (the project, the number of the link or the clip's time, the question); \`mimeType\` tells the true type. The ETag is the hex SHA-256 of the bytes that are served, in quotes: compare it with what you
stored. (\`sha256\` of a submission is that of the bytes as uploaded, which are remuxed later.) What is not there yet is 404.
\`…/transcript.srt\` has the same captions as SubRip. Captions have at most two lines of 42 letters, stay 1 to 7 seconds, and do not overlap.

\`\`\`sh
SUBMISSION=$(api "$BASE/api/projects/$PROJECT/submissions?limit=1" | grep -o '"submissionId":"[^"]*"' | head -1 | cut -d'"' -f4)
api -OJ "$BASE/api/projects/$PROJECT/submissions/$SUBMISSION/video"
api "$BASE/api/projects/$PROJECT/submissions/$SUBMISSION/transcript.vtt"
\`\`\`

One: \`GET /api/projects/<projectId>/submissions/<submissionId>\`.

\`/api/me\`, projects, links, submissions, transcripts and webhook deliveries have an ETag. A mirror that sends it as \`If-None-Match\` gets 304
without a body where nothing has changed. A list that is too long for one piece is streamed and has none: ask then for what changed
(\`changedAfter\`), or for the project, whose \`stats\` move with its links and clips.

\`responseId\` names the response that a clip belongs to: the \`responseSessionId\` of the upload interface, of the filter and of the event
\`response.completed\`. \`responseSessionId\` of a submission is the same in an interview, and null in a project without questions.

\`mediaStatus\` is \`processing\`, \`ready\` (the seekable video, the thumbnails and the audio are there; no audio where there is no sound), or
\`failed\` (\`mediaError\` says why). The video is served in each of them: as it was uploaded, and from when it is there as the stored copy. Where a stored copy would lose
something, the upload stays the video, also at \`ready\`, and \`mediaError\` says what the copy would lose.
\`transcriptStatus\` is \`pending\`, \`processing\`, \`completed\`, \`failed\`, \`disabled\` (transcription was off), or null (no sound).
\`language\` is what was heard, as a code of ISO 639-1 (639-3 where it has none); null where nothing was said, or it is not known.

## Exports

\`\`\`sh
api -OJ "$BASE/api/projects/$PROJECT/export/project.zip"
api -OJ "$BASE/api/projects/$PROJECT/export/transcripts.txt?selected=true"
api -OJ "$BASE/api/projects/$PROJECT/export/transcripts.zip"
api -OJ "$BASE/api/projects/$PROJECT/export.csv"
api -OJ "$BASE/api/projects/$PROJECT/export.json"
\`\`\`

\`transcripts.zip\` has a \`.txt\`, a \`.vtt\` and a \`.srt\` for each clip with a completed transcript, named as the videos in project.zip: beside its video,
players find the captions by that name. Without such a clip it has a README.txt that says so; beyond ${LIMITS.transcriptsZipClips.toLocaleString('en')} such clips it is 409.
\`selected\` and \`transcriptStatus\` narrow both ZIPs and transcripts.txt; \`export.csv?bom=1\` begins with a byte order mark, by which spreadsheets know
UTF-8. The dashboard's exports, below, take \`bom\` and ignore every other parameter. In the CSV every text is quoted. A text that a
spreadsheet would take for a formula begins with an extra \`'\`; there is one, too, after each \`;\`, tab and line break that such a sign
follows, as a spreadsheet whose separator is \`;\` or tab begins a cell there. Links are in a bundle if the token has \`links:read\`. An export that breaks off breaks the connection: curl
then fails. All parts of project.zip show the clips that were there when it began. Where one is erased meanwhile, or its video cannot be
read, the download breaks off; the next one is whole without it, and names in \`missing.txt\` what could not be read. Until a day after its
last byte a download of project.zip that was cut goes on: send \`Range: bytes=<what you have>-\` with \`If-Range: <its ETag>\`. 206 is
the rest, whatever landed meanwhile; 200 is another archive, from its start. Without \`If-Range\`, as \`curl -C -\` asks by itself, the rest comes only
while no newer archive was opened; else it is 200, too. Only so many
exports are read at once: one more is 429 with \`Retry-After\`.

The private dashboard token reads the same files and the QR code without a header:
\`$BASE/project/<projectToken>/export.json\`, \`…/export.csv\`, \`…/export/project.zip\`, \`…/export/transcripts.txt\`, \`…/export/transcripts.zip\`, \`…/shared-link/qr.png\`.

${RECEIVING_WEBHOOKS}
## Scopes

| scope | for |
|---|---|
| profile:read | /api/me |
| projects:read | listing and reading projects |
| projects:write | creating and updating projects, and the extensions that change something |
| links:read | links, the QR code |
| submissions:read | submissions, transcripts, media, exports, what was sent to the webhook |

## Errors

Every error is \`{"error": "<one sentence that says what to change>"}\`. 400 values are not valid (the sentence names each, at most ten); 401 the token; 403 scope or
allowance; 404 not there, or not yours; 405, 413, 415; 409 not as things stand, or an Idempotency-Key that is in use (repeat after \`Retry-After\`;
within 30 s it is free); 410 erased; 416 the range; 422 an Idempotency-Key that was used with another body;
429 too many requests, or too many exports or videos read at once (\`Retry-After\`, \`RateLimit\`, \`RateLimit-Policy\`); 503 try again after \`Retry-After\`.

The sentence is for people. Programs read the header \`Error-Code\`; its words keep their meaning, and more may be added:

| Error-Code | when |
|---|---|
${Object.entries(ERROR_CODES)
  .map(([word, when]) => `| ${word} | ${when} |`)
  .join('\n')}

Every answer has \`Request-Id\`: give it to the operator, who finds the request's trace and log lines by it.

## Limits

${ratesSentence(config)} \`RateLimit\` and \`RateLimit-Policy\` of each answer tell what is left.

## Generated clients

openapi.json is OpenAPI 3.1. openapi-typescript, @hey-api/openapi-ts, openapi-generator and datamodel-codegen take it as it is. A status in an answer is a text
whose values of today stand in \`x-extensible-enum\` and the description, so that a client does not fail at a new one; what you send is a closed list. openapi-python-client
knows no images, archives and tus bodies by itself: give it this with \`--config\`:

\`\`\`yaml
content_type_overrides:
  image/png: application/octet-stream
  image/jpeg: application/octet-stream
  application/zip: application/octet-stream
  video/*: application/octet-stream
  audio/*: application/octet-stream
  application/offset+octet-stream: application/octet-stream
\`\`\`

For the upload interface take a client of tus, not a generated one: ${baseUrl}/api/docs/recorder.

## What may change within version 1

Answers may get more fields, lists more values of a status, webhooks more types, and \`Error-Code\` more words: take what you know
and pass over the rest. Nothing that is described goes away or changes its meaning. Bodies that you send stay strict, so that a
misspelt field is a 400. What has changed is in CHANGELOG.md of the project.

## Extensions

With the token, beside what is above:
\`PATCH /api/projects/<projectId>/submissions/<submissionId>\` \`{selected?, reviewNote?}\` ·
\`POST …/submissions/<submissionId>/transcript\` asks again for one that failed · \`POST …/submissions/<submissionId>/media\` asks again for
video, thumbnails and audio where \`mediaStatus\` is \`failed\`, or \`ready\` with a \`mediaError\`, while the upload is kept (else 409) ·
\`PATCH /api/projects/<projectId>/links/<tokenId>\` \`{disabled}\` ·
\`GET /api/projects/<projectId>/webhook-deliveries\` (every attempt, and how the endpoint does),
\`POST …/webhook-deliveries/<deliveryId>/redeliver\`, \`POST …/webhook-deliveries/redeliver\` \`{from?, to?, undeliveredOnly?}\`,
\`POST /api/projects/<projectId>/webhook-test\` · \`POST /api/projects/<projectId>/dashboard-token\` makes a new dashboard token.

With the dashboard token in the path, read-only: \`GET /project/<projectToken>/overview\` (figures and sizes; ETag),
\`…/submissions\` (as the owner's), \`…/submissions/<submissionId>\` and its media and transcripts with their
true media types, \`…/links\` page by page, \`…/export/selected.zip\`.
`;
