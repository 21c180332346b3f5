// npm install tus-js-client@4
// node record.mjs https://…/r/vr_… clip.webm
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Upload } from 'tus-js-client';

const [link, file] = process.argv.slice(2);
// Keep it on the device: with the same id the same response goes on after a crash.
const responseSessionId = crypto.randomUUID();

// Somebody is there: at their first touch. The take goes on without it.
await fetch(`${link}/opened`, { method: 'POST' }).catch(() => {});

async function ask(path, init) {
  const answer = await fetch(link + path, { ...init, headers: { 'content-type': 'application/json' } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${answer.headers.get('error-code')}: ${body.error}`);
  return body;
}

// Claims a use of the link. termsAccepted only where your contributor has accepted them.
const begin = { responseSessionId, termsAccepted: true };
await ask('/responses', { method: 'POST', body: JSON.stringify(begin) });

// The file has a length, which the creation declares: the take is sent from its first byte on. A recording that still runs
// has none yet: in a browser give a reader of MediaRecorder's chunks in place of the file, and uploadLengthDeferred: true.
// The end of the reader then declares the length, and that sends the take. Do not set that option for a file:
// tus-js-client then promises more bytes in the last chunk than the file has, and the upload fails.
const failed = await new Promise(resolve => {
  new Upload(createReadStream(file), {
    endpoint: `${link}/uploads`,
    metadata: { responseSessionId, filetype: 'video/webm' },
    chunkSize: 1_000_000,
    retryDelays: [0, 1_000, 3_000, 10_000, 30_000],
    onSuccess: () => resolve(undefined),
    onError: resolve,
  }).start();
});

// Whatever the last answer was, 200, 202 or none that arrived: the response tells what became of the take.
for (let seconds = 0; seconds < 60; seconds++) {
  const { answers } = await ask(`/responses/${responseSessionId}`);
  const { submissionId, uploads } = answers[0];
  if (submissionId) {
    console.log(submissionId);
    process.exit(0);
  }
  const refused = uploads.find(upload => upload.state === 'refused');
  if (refused) throw new Error(`${refused.errorCode}: ${refused.error}`);
  if (failed && !uploads.some(upload => upload.state === 'finishing')) throw failed;
  await wait(1_000);
}
throw new Error('It is still landing; ask the response again later.');
