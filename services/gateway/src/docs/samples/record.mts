// npm install @recording-request/client tus-js-client
// node record.mts https://…/r/vr_… clip.webm
import { createReadStream, existsSync } from 'node:fs';
import { RecordingRequest } from '@recording-request/client';

// Ends the program with the sentence of an error.
process.on('uncaughtException', ({ message, code }: Error & { code?: string }) => {
  console.error(code ? `${code}: ${message}` : message);
  process.exit(1);
});

const [address = '', file = ''] = process.argv.slice(2);
if (!address || !existsSync(file))
  throw new Error('Name a recording link and a file: node record.mts https://…/r/vr_… clip.webm');
const recorder = new RecordingRequest({ baseUrl: new URL(address).origin }).recorder(address);

await recorder.opened().catch(() => {});
// Set termsAccepted only if your contributor has accepted the terms.
const { responseSessionId, answers } = await recorder.begin({ termsAccepted: true });
const open = answers.find(answer => answer.submissionId === null);
if (!open) throw new Error('Every answer was sent already.');

// Retries after lost connections, and returns when the clip has landed. A refusal is an UploadError with its code.
const { submissionId } = await recorder.upload(createReadStream(file), {
  responseSessionId,
  questionIndex: open.questionIndex,
  chunkBytes: 1_000_000,
});
console.log(submissionId);
