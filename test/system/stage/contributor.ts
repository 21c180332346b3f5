import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ClipOptions, makeClip } from '@recording-request/fixtures/clip';
import { asker, ok } from './http.ts';
import { until } from './wait.ts';

export interface TestClip {
  bytes: Uint8Array<ArrayBuffer>;
  mimeType: string;
}

export async function clipOf(options: ClipOptions): Promise<TestClip> {
  const { path, mimeType } = await makeClip(options);
  return { bytes: new Uint8Array(await readFile(path)), mimeType };
}

/** Claims a use of the recording link. Gives the id of the response. */
export async function begin(link: string, body: { termsAccepted?: boolean } = {}): Promise<string> {
  const json = { responseSessionId: randomUUID(), ...body };
  return ok(await asker(link)(`${new URL(link).pathname}/responses`, { method: 'POST', json }), 201).responseSessionId;
}

/** Sends a whole clip in one tus request (creation-with-upload). Gives the id of the submission that it became. */
export async function send(
  link: string,
  clip: TestClip,
  metadata: { responseSessionId: string; questionIndex?: number; note?: string },
): Promise<string> {
  const pairs = Object.entries({ ...metadata, filetype: clip.mimeType }).map(
    ([name, value]) => `${name} ${Buffer.from(String(value)).toString('base64')}`,
  );
  const answer = await asker(link)(`${new URL(link).pathname}/uploads`, {
    method: 'POST',
    body: clip.bytes,
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(clip.bytes.length),
      'upload-metadata': pairs.join(','),
      'content-type': 'application/offset+octet-stream',
    },
  });
  if (answer.status >= 300) throw new Error(`the clip did not land: ${answer.what} ${answer.text()}`);
  if (!/^\/r\/vr_\w+\/uploads\/[\w-]+$/.test(String(answer.headers.get('location'))))
    throw new Error(`a tus client is not told where the upload is: ${answer.what} ${answer.headers.get('location')}`);
  // 202 where landing takes long: then the response tells.
  const index = metadata.questionIndex ?? null;
  const response = `${new URL(link).pathname}/responses/${metadata.responseSessionId}`;
  return until('the clip to land', async () => {
    const { answers } = ok(await asker(link)(response));
    const mine = answers.find((each: { questionIndex: number | null }) => each.questionIndex === index);
    return mine?.submissionId as string | undefined;
  });
}
