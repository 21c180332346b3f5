import { html } from '@recording-request/web-shared/html';
import { readSample } from './read-sample.ts';
import type { Page } from './render-page.ts';

/** Returns GET /api/docs/recorder: how to write a client that records through a link. A test runs both samples of the page. */
export function recorderPage(baseUrl: string): Page {
  const body = html`<p><a href="/api/docs">The whole interface</a></p>
<h1>Build your own recorder</h1>
<p>A recording link, <code>${baseUrl}/r/vr_…</code>, opens our recorder. Below the same address is the interface that it speaks, and that
yours may speak, too: JSON for the response, <a href="https://tus.io/protocols/resumable-upload">tus 1.0</a> for the bytes. The token in the
address is all that is needed. There is no CORS: call it from an app, from your server, or from a page that your proxy serves on our host.</p>
<ol>
<li><a href="/api/docs#beginResponse"><code>POST …/responses</code></a> claims a use of the link. The answer has
<code>responseSessionId</code>, <code>maxDurationSec</code>, the <code>questions</code> of an interview, and what of its <code>answers</code> has landed.
<strong>Use the <code>responseSessionId</code> that comes back</strong>, whatever you sent: a personal link has one response, so that a second device,
a second run or another take after a refusal joins the one that was begun. Your own id is unknown then: 404.</li>
<li><a href="/api/docs#createUpload"><code>POST …/uploads</code></a> creates an upload for each answer without <code>submissionId</code>, with that <code>responseSessionId</code>, and in
interviews <code>questionIndex</code>, in <code>Upload-Metadata</code>; a <code>note</code> and the <code>filetype</code> (below) may be
there, too. <a href="/api/docs#appendToUpload"><code>PATCH</code></a> sends the bytes.</li>
<li>When the last byte is there the take is checked, and lands.
<a href="/api/docs#getResponse"><code>GET …/responses/&lt;responseSessionId&gt;</code></a> tells what became of it.</li>
</ol>
<h2>Declaring the length is sending</h2>
<p>An upload with <code>Upload-Length</code> is sent. One with <code>Upload-Defer-Length: 1</code> is <strong>not sent yet</strong>: its bytes are
kept while somebody records, and a person who leaves without declaring a length has sent nothing. It is never delivered, and is deleted seven days
after its last byte. Declare the length with the last chunk, or by a <code>PATCH</code> without a byte when Send is pressed; an upload that was
sent but lacks bytes in the end is delivered as far as it plays, with <code>incomplete: true</code>. Say that a take is sent only once the
answer to its last byte, or the response, says so.</p>
<h2>What the answers mean</h2>
<div class="wide"><table><thead><tr><th scope="col">answer</th><th scope="col">what it means</th><th scope="col">what to do</th></tr></thead><tbody>
<tr><th scope="row">200 to the last byte</th><td>It has landed; the body has <code>submissionId</code>, and <code>complete</code> after the last answer.</td><td>Say that it is sent.</td></tr>
<tr><th scope="row">202 to the last byte</th><td><code>{"state": "finishing"}</code>: every byte is here, and it lands by itself.</td><td>Say that it is sent. Ask the response for what became of it.</td></tr>
<tr><th scope="row">204</th><td>The bytes are stored.</td><td>Go on at <code>Upload-Offset</code>.</td></tr>
<tr><th scope="row">400</th><td>A value is wrong; the sentence names it.</td><td>A fault of the client: mend it.</td></tr>
<tr><th scope="row">404</th><td>There is no such link, response or upload.</td><td>Do not repeat it.</td></tr>
<tr><th scope="row">409 to <code>POST</code></th><td><code>link_busy</code>: all uses are claimed, not all have landed. <code>upload_busy</code>: this answer is being sent already.</td><td>Try again in minutes; a claim without a byte is given back after half an hour.</td></tr>
<tr><th scope="row">409 to <code>PATCH</code></th><td>Another offset than what is stored.</td><td><code>HEAD</code>, and go on from there: tus clients do.</td></tr>
<tr><th scope="row">410</th><td><code>link_used</code>, <code>link_expired</code>, <code>link_disabled</code>, <code>answer_sent</code>.</td><td>For good. Keep the take for the person who made it.</td></tr>
<tr><th scope="row">422</th><td>The take was refused.</td><td>Look at <code>errorCode</code>, and let them record again: the response stays begun.</td></tr>
<tr><th scope="row">423</th><td>Another request is writing to this upload.</td><td>Try again in a second: tus clients do.</td></tr>
<tr><th scope="row">429, 503</th><td>Too much at once, a body that stopped short, or a part that is away.</td><td>Wait for <code>Retry-After</code>, <code>HEAD</code>, go on. Where a creation's own bytes stopped short, its <code>Location</code> says what to ask; at 404 there, create it again. Never give a take up for them.</td></tr>
</tbody></table></div>
<p>The words are in the header <code>Error-Code</code>. In the response each refused upload has an <code>errorCode</code>:
<code>not_video</code> (no video that plays in the bytes, or a picture of more than 33.2 million pixels or 8,192 on a side), <code>too_long</code> (more than two seconds beyond <code>maxDurationSec</code>),
<code>answered</code> (another take of this answer landed first). Takes that were refused before stay in the list: find yours by its
<code>uploadId</code>, the last segment of its <code>Location</code>.</p>
<p>An upload takes WebM, MP4, QuickTime, Matroska or 3GP: the bytes decide. <code>filetype</code> is a hint without effect:
any media type is taken, with or without codecs, and what is no media type is a 400. A take has up to <code>Tus-Max-Size</code> of
<code>OPTIONS …/uploads</code>, with 20 open uploads a response. <code>Upload-Expires</code> says how long what was begun is kept.
Say with <code>POST …/opened</code> that somebody is there, at their first touch.</p>
<h2>TypeScript and JavaScript: tus-js-client</h2>
<pre><code id="record.mjs">${readSample('record.mjs')}</code></pre>
<h2>Python: tuspy</h2>
<pre><code id="record.py">${readSample('record.py')}</code></pre>`;
  return { title: 'Build your own recorder', body };
}
