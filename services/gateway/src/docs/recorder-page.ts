import { html } from '@recording-request/web-shared/html';
import { readSample } from './read-sample.ts';
import type { Page } from './render-page.ts';

/** Returns GET /api/docs/recorder: how to write a client that records through a link. A test runs both samples of the page. */
export function recorderPage(baseUrl: string): Page {
  const body = html`<p><a href="/api/docs">The whole interface</a></p>
<h1>Build your own recorder</h1>
<p>A recording link, <code>${baseUrl}/r/vr_…</code>, opens our recorder. Below the same address is the interface that our recorder uses,
and your recorder can use it too: JSON for the response, <a href="https://tus.io/protocols/resumable-upload">tus 1.0</a> for the bytes. It
needs no authentication except the token in the address. There is no CORS: call it from an app, from your server, or from a page that your
proxy serves on our host.</p>
<ol>
<li><a href="/api/docs#beginResponse"><code>POST …/responses</code></a> claims a use of the link. The answer has
<code>responseSessionId</code>, <code>maxDurationSec</code>, the <code>questions</code> of an interview, and the state of its
<code>answers</code>. <strong>Use the returned <code>responseSessionId</code></strong>, whatever you sent: a personal link has one
response, so a second device, a second run or another take after a refusal joins the existing response. Your own id is then unknown:
404.</li>
<li><a href="/api/docs#createUpload"><code>POST …/uploads</code></a> creates an upload. Create one for each answer without
<code>submissionId</code>. Put that <code>responseSessionId</code>, and in interviews <code>questionIndex</code>, into
<code>Upload-Metadata</code>; a <code>note</code> and the <code>filetype</code> (below) are optional.
<a href="/api/docs#appendToUpload"><code>PATCH</code></a> sends the bytes.</li>
<li>After the last byte the service checks the take, and the take lands.
<a href="/api/docs#getResponse"><code>GET …/responses/&lt;responseSessionId&gt;</code></a> returns its state.
Once it is <code>complete</code>, it has a <code>completionCode</code>, and the <code>returnUrl</code> of the project if there is one: show its host before you go
there. If the address of a shared link has <code>?ref=…</code>, append these paths to the part before the <code>?</code>, and send the
text as <code>reference</code> with the first request.</li>
</ol>
<h2>Declaring the length is sending</h2>
<p>An upload with <code>Upload-Length</code> counts as sent. An upload with <code>Upload-Defer-Length: 1</code> is <strong>not sent
yet</strong>: the service keeps its bytes during the recording, but a contributor who leaves without declaring a length has sent nothing.
Such an upload is never delivered, and is deleted seven days after its last byte. Declare the length with the last chunk, or by a
<code>PATCH</code> without a byte when the contributor presses Send. An upload that was sent but never gets its last bytes is delivered as
far as it plays, with <code>incomplete: true</code>. Show a take as sent only after the answer to its last byte, or the response,
says so.</p>
<h2>What the answers mean</h2>
<div class="wide"><table><thead><tr><th scope="col">answer</th><th scope="col">what it means</th><th scope="col">what to do</th></tr></thead><tbody>
<tr><th scope="row">200 to the last byte</th><td>It has landed; the body has <code>submissionId</code>, and <code>complete</code> after the last answer.</td><td>Say that it is sent.</td></tr>
<tr><th scope="row">202 to the last byte</th><td><code>{"state": "finishing"}</code>: every byte has arrived, and the take lands by itself.</td><td>Say that it is sent. Read the outcome from the response.</td></tr>
<tr><th scope="row">204</th><td>The bytes are stored.</td><td>Continue at <code>Upload-Offset</code>.</td></tr>
<tr><th scope="row">400</th><td>A value is wrong; the sentence names it.</td><td>Fix the client.</td></tr>
<tr><th scope="row">404</th><td>There is no such link, response or upload.</td><td>Do not retry.</td></tr>
<tr><th scope="row">409 to <code>POST</code></th><td><code>link_busy</code>: all uses are claimed, not all have landed. <code>upload_busy</code>: this answer is being sent already.</td><td>Try again after some minutes; a claim without a byte is released after half an hour.</td></tr>
<tr><th scope="row">409 to <code>PATCH</code></th><td>The offset differs from the stored one.</td><td>Send <code>HEAD</code> and continue at its offset, as tus clients do.</td></tr>
<tr><th scope="row">410</th><td><code>link_used</code>, <code>link_expired</code>, <code>link_disabled</code>, <code>project_closed</code>, <code>answer_sent</code>.</td><td>Do not retry. Keep the take for the contributor.</td></tr>
<tr><th scope="row">422</th><td>The take was refused.</td><td>Check <code>errorCode</code>, and let the contributor record again: the response stays open.</td></tr>
<tr><th scope="row">423</th><td>Another request is writing to this upload.</td><td>Try again after a second, as tus clients do.</td></tr>
<tr><th scope="row">429, 503</th><td>Too many requests, an incomplete body, or a part of the service that is down.</td><td>Wait for <code>Retry-After</code>, send <code>HEAD</code>, and continue. If the bytes of a creation were incomplete, send <code>HEAD</code> to its <code>Location</code>; after 404 there, create the upload again. Never discard a take because of these statuses.</td></tr>
</tbody></table></div>
<p>The header <code>Error-Code</code> has these words. In the response, each refused upload has an <code>errorCode</code>:
<code>not_video</code> (the bytes have no playable video, or a picture of more than 33.2 million pixels or 8,192 on a side),
<code>too_long</code> (more than two seconds beyond <code>maxDurationSec</code>), <code>answered</code> (another take of this answer
landed first). Earlier refused takes stay in the list: find yours by its <code>uploadId</code>, the last segment of its
<code>Location</code>.</p>
<p>An upload can be WebM, MP4, QuickTime, Matroska or 3GP: the bytes decide. <code>filetype</code> is a hint without effect: any media
type is accepted, with or without codecs; any other text is a 400. A take can have up to <code>Tus-Max-Size</code> bytes (see
<code>OPTIONS …/uploads</code>), and a response up to 20 open uploads. <code>Upload-Expires</code> says how long an unfinished upload is
kept. Send <code>POST …/opened</code> at the contributor's first touch.</p>
<h2>TypeScript and JavaScript: tus-js-client</h2>
<pre><code id="record.mjs">${readSample('record.mjs')}</code></pre>
<h2>Python: tuspy</h2>
<pre><code id="record.py">${readSample('record.py')}</code></pre>`;
  return { title: 'Build your own recorder', body };
}
