// npm install tus-js-client@4
// node record.mjs https://…/r/vr_… clip.webm
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Upload } from 'tus-js-client';

const [address, file] = process.argv.slice(2);
// The paths below follow the path of the link. A shared link may also have a reference: …/r/vr_…?ref=P-17
const { origin, pathname, searchParams } = new URL(address);
const link = origin + pathname;
const reference = searchParams.get('ref') || undefined;

// Reports the contributor's first touch. The recording continues if this request fails.
await fetch(`${link}/opened`, { method: 'POST' }).catch(() => {});

async function ask(path, init) {
  const answer = await fetch(link + path, { ...init, headers: { 'content-type': 'application/json' } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${answer.headers.get('error-code')}: ${body.error}`);
  return body;
}

// Claims a use of the link, or joins the response that was begun with it. Store your id on the device: after a crash, the same id
// continues the same response. Set termsAccepted only if your contributor has accepted the terms.
const begin = { responseSessionId: crypto.randomUUID(), termsAccepted: true, reference };
const begun = await ask('/responses', { method: 'POST', body: JSON.stringify(begin) });
// From here on, use the returned id: a personal link has one response, whose id may differ from yours.
const { responseSessionId } = begun;
// In an interview this file answers the first question that has no answer yet.
const open = begun.answers.find(answer => answer.submissionId === null);
if (!open) throw new Error('Every answer was sent already.');
const question = open.questionIndex === null ? {} : { questionIndex: String(open.questionIndex) };

// The creation declares the length of the file, so the service accepts the recording from its first byte on. A running
// recording has no length yet: in a browser, pass a reader of MediaRecorder's chunks instead of the file, and set
// uploadLengthDeferred: true. The end of the reader then declares the length, which completes the upload. Do not set that option
// for a file: tus-js-client then promises more bytes in the last chunk than the file has, and the upload fails.
let upload;
const failed = await new Promise(resolve => {
  upload = new Upload(createReadStream(file), {
    endpoint: `${link}/uploads`,
    metadata: { responseSessionId, filetype: 'video/webm', ...question },
    chunkSize: 1_000_000,
    retryDelays: [0, 1_000, 3_000, 10_000, 30_000],
    onSuccess: () => resolve(undefined),
    onError: resolve,
  });
  upload.start();
});

// After any last answer (200, 202 or none), the response shows the state of this recording. It also lists refused recordings:
// this one is the upload whose id is the last part of its address.
const uploadId = upload.url?.split('/').at(-1);
for (let seconds = 0; seconds < 60; seconds++) {
  const { answers } = await ask(`/responses/${responseSessionId}`);
  const { submissionId, uploads } = answers.find(answer => answer.questionIndex === open.questionIndex);
  const own = uploads.find(each => each.uploadId === uploadId);
  if (own?.state === 'refused') throw new Error(`${own.errorCode}: ${own.error}`);
  if (submissionId) {
    console.log(submissionId);
    process.exit(0);
  }
  if (failed && own?.state !== 'finishing') throw failed;
  await wait(1_000);
}
throw new Error('It is still landing; ask the response again later.');
