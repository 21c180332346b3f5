import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import {
  type api,
  type Recorder,
  RecordingRequest,
  RecordingRequestError,
  UploadError,
} from '@recording-request/client';
import { command, wholeNumber } from '../command.ts';
import { missing, statePath, writePrivate } from '../config.ts';
import { EXIT, Failure, UsageFailure } from '../failures.ts';
import { lock } from '../lock.ts';
import { sizeText } from '../output.ts';

const RETRIES = 8;
/** The Error-Codes of a recording that the service will never accept. */
const REFUSALS = new Set(['not_video', 'too_long', 'unprocessable', 'body_too_large', 'answer_sent']);
const TYPES: Record<string, string> = {
  '.webm': 'video/webm',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.mkv': 'video/x-matroska',
};

/** An upload that was begun. */
interface Begun {
  responseSessionId: string;
  questionIndex: number | null;
  address?: string;
}

export const send = command({
  name: 'send',
  summary: 'Sends a recording through a link, as a contributor, and waits until it has landed.',
  args: ['LINK', 'FILE'],
  addressFrom: 'LINK',
  flags: {
    question: {
      type: 'text',
      value: 'N',
      help: 'the question that the recording answers, from 1; the next one by default',
    },
    note: { type: 'text', value: 'TEXT', help: 'a message to the owner' },
    reference: { type: 'text', value: 'TEXT', help: 'your reference, if the shared link accepts one' },
    'accept-terms': { type: 'switch', help: 'accepts the terms of the project, where it has terms' },
    restart: { type: 'switch', help: 'forgets an earlier attempt, and begins a new response' },
  },
  notes: `Needs no token: LINK is the address that the owner sent you. The same command again continues an upload that was
interrupted, and continues an interview with its next question.`,
  async run({ args: [link, path], flags }, { out, signal, env }) {
    const recorder = recorderOf(link!);
    const { size, mtimeMs } = await stat(path!);
    if (size === 0) throw new Failure(EXIT.invalid, `${path} is empty.`);
    const question = wholeNumber('question', flags.question, 1);
    const ids = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
    const uploadFile = statePath(env, 'uploads', ids(`${link}\n${await realpath(path!)}\n${size}\n${mtimeMs}`));
    const sessionFile = statePath(env, 'responses', ids(link!));
    const held = await lock(`${uploadFile}.lock`, 'this link and file');
    const progress = out.progress();
    try {
      if (flags.restart) await Promise.all([uploadFile, sessionFile].map(file => rm(file, { force: true })));
      let begun = await readBegun(uploadFile);
      if (!begun) {
        begun = await begin(recorder, sessionFile, { ...flags, question }, signal);
        await writePrivate(uploadFile, JSON.stringify(begun));
      }
      const upload = (state: Begun) =>
        recorder.upload(createReadStream(path!), {
          ...{ ...state, signal, size, retries: RETRIES, note: flags.note },
          fileType: TYPES[extname(path!).toLowerCase()],
          answerMode: 'file',
          onAddress: address => {
            stored = writePrivate(uploadFile, JSON.stringify({ ...state, address }));
            // Nothing is sent before the address is stored. The code below throws the failure to store it.
            return stored;
          },
          onProgress: sent => progress.show(`${sizeText(sent)} of ${sizeText(size)} sent …`),
        });
      let stored = Promise.resolve();
      const landed = await upload(begun).catch(async (error: unknown) => {
        await stored;
        signal.throwIfAborted();
        const isGone =
          error instanceof UploadError && ['not_found', 'gone', 'offset_mismatch'].includes(error.code ?? '');
        // The service keeps an unfinished upload for a limited time.
        if (isGone && begun.address) return upload({ ...begun, address: undefined });
        // After a refusal, the same command begins a new response. After any other failure, the same command continues
        // this upload.
        if (error instanceof UploadError && REFUSALS.has(error.code ?? '')) await rm(uploadFile, { force: true });
        throw error;
      });
      await stored;
      await rm(uploadFile, { force: true });
      if (landed.response.complete) await rm(sessionFile, { force: true });
      report(out, landed);
    } finally {
      progress.end();
      await held.release();
    }
  },
});

function report(
  out: import('../output.ts').Output,
  { submissionId, response }: { submissionId: string; response: api.ContributorResponse },
) {
  const left = response.answers.filter(answer => answer.submissionId === null).length;
  out.result({ submissionId, response }, [
    `The recording has landed: ${submissionId}`,
    ...(left > 0 ? [`${left} of ${response.questions.length} questions remain.`] : []),
    ...(response.completionCode ? [`completion code  ${response.completionCode}`] : []),
  ]);
}

function recorderOf(link: string): Recorder {
  const base = /^(https?:\/\/[^?#]+?)\/r\/vr_\w+/.exec(link)?.[1];
  if (!base) throw new UsageFailure('LINK must be an address such as https://record.example/r/vr_….');
  try {
    return new RecordingRequest({ baseUrl: base, retries: RETRIES }).recorder(link);
  } catch (error) {
    if (error instanceof RecordingRequestError) throw new UsageFailure(error.message);
    throw error;
  }
}

interface BeginFlags {
  question: number | undefined;
  reference: string | undefined;
  'accept-terms': boolean;
}

/** Begins a response, or continues an interview that an earlier command began. */
async function begin(recorder: Recorder, file: string, flags: BeginFlags, signal: AbortSignal): Promise<Begun> {
  const earlier = await readBegun(file);
  const response = await recorder.begin(
    {
      ...(earlier && { responseSessionId: earlier.responseSessionId }),
      ...(flags['accept-terms'] && { termsAccepted: true }),
      ...(flags.reference && { reference: flags.reference }),
    },
    { signal },
  );
  const { responseSessionId, questions, answers } = response;
  if (response.complete)
    throw new Failure(EXIT.invalid, 'Everything was sent already. --restart begins a new response.');
  if (questions.length === 0) {
    if (flags.question) throw new UsageFailure('--question: this link has no questions.');
    return { responseSessionId, questionIndex: null };
  }
  const next = answers.find(answer => answer.submissionId === null)?.questionIndex ?? 0;
  const questionIndex = flags.question === undefined ? next : flags.question - 1;
  if (questionIndex >= questions.length) throw new UsageFailure(`--question must be at most ${questions.length}.`);
  await writePrivate(file, JSON.stringify({ responseSessionId, questionIndex: null } satisfies Begun));
  return { responseSessionId, questionIndex };
}

async function readBegun(path: string): Promise<Begun | undefined> {
  const text = await readFile(path, 'utf8').catch(missing);
  if (text === undefined) return undefined;
  try {
    const begun = JSON.parse(text) as Begun;
    return typeof begun.responseSessionId === 'string' ? begun : undefined;
  } catch {
    return undefined;
  }
}
