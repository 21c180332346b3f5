import { INSTALL_CLIENTS, RUN_TYPESCRIPT } from './install-clients.ts';
import { sampleBlock } from './read-sample.ts';

/** The guide for a client that records through a link. A test runs its programs unchanged. */
export const recorderDocs = (baseUrl: string): string => `# Build your own recorder

A recording link, \`${baseUrl}/r/vr_…\`, opens our recorder. Below the same address is the interface that our recorder uses,
and your recorder can use it too: JSON for the response, [tus 1.0](https://tus.io/protocols/resumable-upload) for the bytes. It
needs no authentication except the token in the address. There is no CORS: call it from an app, from your server, or from a page that your
proxy serves on our host.

1. [\`POST …/responses\`](/api/docs#beginResponse) claims a use of the link. The answer has
   \`responseSessionId\`, \`maxDurationSec\`, the \`questions\` of an interview, and the state of its
   \`answers\`; if \`hasScript\`, [\`GET …/script\`](/api/docs#getScript) is a text to read while recording. **Use the returned \`responseSessionId\`**, whatever you sent: a personal link has one
   response, so a second device, a second run or another take after a refusal joins the existing response. Your own id is then unknown:
   404.
2. [\`POST …/uploads\`](/api/docs#createUpload) creates an upload. Create one for each answer without
   \`submissionId\`. Put that \`responseSessionId\`, and in interviews \`questionIndex\`, into
   \`Upload-Metadata\`; a \`note\`, \`signed\` and the \`filetype\` (below) are optional. \`answerMode\` is \`video\`, \`audio\`
   (only the sound; send it as a video with a still picture) or \`file\`, one of the \`answerModes\` of the response; it may be
   missing where these have both video and file.
   [\`PATCH\`](/api/docs#appendToUpload) sends the bytes.
3. After the last byte the service checks the take, and the take lands.
   [\`GET …/responses/<responseSessionId>\`](/api/docs#getResponse) returns its state.
   Once it is \`complete\`, it has a \`completionCode\`, and the \`returnUrl\` of the project if there is one: show its host before you go
   there. If the address of a shared link has \`?ref=…\`, append these paths to the part before the \`?\`, and send the
   text as \`reference\` with the first request.

## Declaring the length is sending

An upload with \`Upload-Length\` counts as sent. An upload with \`Upload-Defer-Length: 1\` is **not sent
yet**: the service keeps its bytes during the recording, but a contributor who leaves without declaring a length has sent nothing.
Such an upload is never delivered, and is deleted seven days after its last byte. Declare the length with the last chunk, or by a
\`PATCH\` without a byte when the contributor presses Send. An upload that was sent but never gets its last bytes is delivered as
far as it plays, with \`incomplete: true\`. Show a take as sent only after the answer to its last byte, or the response,
says so.

## What the answers mean

| answer | what it means | what to do |
|---|---|---|
| 200 to the last byte | It has landed; the body has \`submissionId\`, and \`complete\` after the last answer. | Say that it is sent. |
| 202 to the last byte | \`{"state": "finishing"}\`: every byte has arrived, and the take lands by itself. | Say that it is sent. Read the outcome from the response. |
| 204 | The bytes are stored. | Continue at \`Upload-Offset\`. |
| 400 | A value is wrong; the sentence names it. | Fix the client. |
| 404 | There is no such link, response or upload. | Do not retry. |
| 409 to \`POST\` | \`link_busy\`: all uses are claimed, not all have landed. \`upload_busy\`: this answer is being sent already. | Try again after some minutes; a claim without a byte is released after half an hour. |
| 409 to \`PATCH\` | The offset differs from the stored one. | Send \`HEAD\` and continue at its offset, as tus clients do. |
| 410 | \`link_used\`, \`link_expired\`, \`link_disabled\`, \`project_closed\`, \`answer_sent\`. | Do not retry. Keep the take for the contributor. |
| 422 | The take was refused. | Check \`errorCode\`, and let the contributor record again: the response stays open. |
| 423 | Another request is writing to this upload. | Try again after a second, as tus clients do. |
| 429, 503 | Too many requests, an incomplete body, or a part of the service that is down. | Wait for \`Retry-After\`, send \`HEAD\`, and continue. If the bytes of a creation were incomplete, send \`HEAD\` to its \`Location\`; after 404 there, create the upload again. Never discard a take because of these statuses. |

The header \`Error-Code\` has these words. In the response, each refused upload has an \`errorCode\`:
\`not_video\` (the bytes have no playable video, or a picture of more than 33.2 million pixels or 8,192 on a side),
\`too_long\` (more than two seconds beyond \`maxDurationSec\` of the response), \`answered\` (another take of this answer
landed first). Earlier refused takes stay in the list: find yours by its \`uploadId\`, the last segment of its
\`Location\`.

An upload can be WebM, MP4, QuickTime, Matroska or 3GP: the bytes decide. \`filetype\` is a hint without effect: any media
type is accepted, with or without codecs; any other text is a 400. A take can have up to \`Tus-Max-Size\` bytes (see
\`OPTIONS …/uploads\`), and a response up to 20 open uploads. \`Upload-Expires\` says how long an unfinished upload is
kept. Send \`POST …/opened\` at the contributor's first touch.

## TypeScript: the client

${INSTALL_CLIENTS} ${RUN_TYPESCRIPT}

${sampleBlock('ts', 'record.mts')}
## JavaScript: tus-js-client

${sampleBlock('js', 'record.mjs')}
## Python: tuspy

The file \`clip.webm.upload\` has the link while the clip is being sent: keep it private.

${sampleBlock('python', 'record.py')}`;
