import { readFile } from 'node:fs/promises';
import type { ContributorResponseJson } from '@recording-request/contract/resources/contributor-response';
import type { Clip } from '@recording-request/fixtures/clip';
import { ok, send } from '@recording-request/harness/http-client';
import { waitFor } from '@recording-request/stack/wait';
import { check } from './check.ts';
import { type UploadEnd, type UploadPlan, upload } from './upload.ts';

/** A contributor's pass through a recording link. */
export interface Pass {
  /** The recording link. */
  link: string;
  response: ContributorResponseJson;
}

export interface LandedClip {
  clip: Clip;
  submissionId: string;
  responseSessionId: string;
  /** The HTTP response to the last byte. */
  end: UploadEnd;
  bytes: number;
}

export type SendOptions = Partial<Pick<UploadPlan, 'deferLength' | 'breakAt' | 'headers' | 'chunkBytes'>> & {
  questionIndex?: number;
  note?: string;
};

const CHUNK_BYTES = 192 * 1024;
const LANDING_LIMIT_MS = 60_000;

/** Opens the recording page and begins a response, which claims a use of the link. */
export async function begin(link: string, signal: AbortSignal, body: { termsAccepted?: boolean } = {}): Promise<Pass> {
  const opened = await send(`${link}/opened`, { method: 'POST', signal });
  check('the recording link to accept the request that marks it as opened', opened.status < 300, opened.status);
  const begun = await send(`${link}/responses`, { method: 'POST', json: body, signal });
  return { link, response: ok(begun, 201) };
}

/** Reads the current state of a response. */
export async function responseOf({ link, response }: Pass, signal: AbortSignal): Promise<ContributorResponseJson> {
  return ok(await send(`${link}/responses/${response.responseSessionId}`, { signal }));
}

/**
 * Sends a file as an answer of a response. Resolves to the HTTP response of the last request, even if that request was
 * refused.
 */
export async function sendFile(
  { link, response }: Pass,
  file: { path: string; mimeType: string },
  signal: AbortSignal,
  options: SendOptions = {},
): Promise<UploadEnd & { bytes: number }> {
  const { questionIndex, note, chunkBytes = CHUNK_BYTES, ...plan } = options;
  const bytes = await readFile(file.path);
  const metadata = {
    responseSessionId: response.responseSessionId,
    filetype: file.mimeType,
    ...(questionIndex === undefined ? {} : { questionIndex: String(questionIndex) }),
    ...(note === undefined ? {} : { note }),
  };
  const end = await upload({ endpoint: `${link}/uploads`, bytes, chunkBytes, metadata, signal, ...plan });
  return { ...end, bytes: bytes.length };
}

/**
 * Sends a clip that must land. If the HTTP response says that landing is still in progress, waits until the
 * contributor's response shows the clip.
 */
export async function sendClip(
  pass: Pass,
  clip: Clip,
  signal: AbortSignal,
  options: SendOptions = {},
): Promise<LandedClip> {
  const end = await sendFile(pass, clip, signal, options);
  const { responseSessionId } = pass.response;
  check('the last byte to be answered with 200 or 202', end.status === 200 || end.status === 202, end);
  const body = end.body as { submissionId?: string; responseSessionId?: string; questionIndex?: number | null };
  if (end.status === 200) {
    check('the answer to name its response', body.responseSessionId === responseSessionId, body);
    check('the answer to name its question', body.questionIndex === (options.questionIndex ?? null), body);
  }
  const submissionId = await waitFor(
    'a clip that landed',
    async limit => {
      const { answers } = await responseOf(pass, limit);
      return answers[options.questionIndex ?? 0]?.submissionId ?? undefined;
    },
    { timeoutMs: LANDING_LIMIT_MS, checkMs: 10_000, signal },
  );
  if (end.status === 200)
    check('the answer and the response to agree on the submission', body.submissionId === submissionId, body);
  return { clip, submissionId, responseSessionId, end, bytes: end.bytes };
}
