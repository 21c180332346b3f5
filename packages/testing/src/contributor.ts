import { randomUUID } from 'node:crypto';
import { httpClient, ok } from '@recording-request/harness/http-client';
import { createUpload } from '@recording-request/harness/tus';
import { until } from './wait.ts';

const LANDING_MS = 90_000;

/** Claims a use of a recording link. Returns the id of the response. */
export async function beginResponse(link: string, body: { termsAccepted?: boolean } = {}): Promise<string> {
  const json = { responseSessionId: randomUUID(), ...body };
  const path = `${new URL(link).pathname}/responses`;
  return ok(await httpClient(link)(path, { method: 'POST', json }), 201).responseSessionId;
}

/** Sends a clip in one request (creation-with-upload) and waits until it has landed. Returns the id of its submission. */
export async function sendClip(
  link: string,
  clip: { bytes: Uint8Array; mimeType: string },
  about: {
    responseSessionId: string;
    questionIndex?: number;
    note?: string;
    answerMode?: 'video' | 'audio' | 'file';
    signed?: boolean;
  },
): Promise<string> {
  const { signed, ...rest } = about;
  const metadata = { ...rest, ...(signed && { signed: 'true' }), filetype: clip.mimeType };
  const { response } = await createUpload(`${link}/uploads`, {
    metadata,
    length: clip.bytes.length,
    body: clip.bytes,
  });
  if (!response.ok) throw new Error(`the clip did not land: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  const location = String(response.headers.get('location'));
  if (!/^\/r\/vr_\w+\/uploads\/[\w-]+$/.test(location))
    throw new Error(`the answer to a tus client does not say where the upload is: ${response.status} ${location}`);
  // A slow landing returns 202. Then the response shows the submission later.
  const index = about.questionIndex ?? null;
  const path = `${new URL(link).pathname}/responses/${about.responseSessionId}`;
  return until(
    'the clip lands',
    async () => {
      const { answers } = ok(await httpClient(link)(path));
      const mine = answers.find((each: { questionIndex: number | null }) => each.questionIndex === index);
      return mine?.submissionId as string | undefined;
    },
    { limitMs: LANDING_MS, everyMs: 150 },
  );
}
