import { randomUUID } from 'node:crypto';
import { type Answer, refused, send } from '@recording-request/harness/http-client';
import { tusMetadata } from '@recording-request/harness/tus';
import { check, checkEqual } from '../check.ts';
import { begin, type LandedClip, type Pass, responseOf, sendClip, sendFile } from '../contributor.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import type { Project, Projects } from './create-projects.ts';
import type { Clips } from './make-clips.ts';

const TOO_LARGE = 2 * 1024 ** 3 + 1;

/** Checks that bad input returns the expected status and `{error}`. */
export async function refuseBadInput(show: Show, projects: Projects, owner: Owner): Promise<void> {
  const { baseUrl, play, signal } = show;
  await play('bad requests refused', async note => {
    const statuses: number[] = [];
    const expect = (answer: Answer, status: number) => {
      statuses.push(status);
      return refused(answer, status);
    };
    const me = (token?: string) => send(`${baseUrl}/api/me`, { token, signal });
    for (const token of [undefined, 'nonsense', `${show.apiToken.slice(0, -1)}~`]) {
      const answer = await me(token);
      expect(answer, 401);
      const { headers } = answer;
      checkEqual('the challenge of a 401', headers.get('www-authenticate')?.split(' ')[0], 'Bearer');
    }
    expect(await owner.get(`/api/projects/${randomUUID()}`), 404);
    expect(await owner.get('/api/projects/not-a-uuid'), 400);
    const { recipientUrls, sharedLink, projectToken } = projects.stories.created;
    const body = (json: unknown) => ({ method: 'POST', token: show.apiToken, json, signal });
    const unknownField = await send(`${baseUrl}/api/projects`, body({ projectName: 'x', count: 1, colour: 'red' }));
    check('the refusal to name the field', expect(unknownField, 400).includes('colour'), 'a sentence without it');
    expect(await send(`${baseUrl}/api/projects`, body({ projectName: 'x', count: '1' })), 400);
    const begun = { method: 'POST', json: { termsAccepted: true }, signal };
    expect(await send(`${mistyped(sharedLink!.recipientUrl)}/responses`, begun), 404);
    expect(await send(`${baseUrl}/project/${mistyped(projectToken)}/export.json`, { signal }), 404);
    // The link's only response has landed.
    expect(await send(`${recipientUrls[0]!.recipientUrl}/responses`, begun), 410);
    note(statuses.join(', '));
  });
}

/** Checks that a refused upload leaves its response unchanged: the response still accepts a good clip. */
export async function refuseBadClips(show: Show, { strict }: Projects, clips: Clips): Promise<LandedClip[]> {
  const { play, signal } = show;
  return play('bad uploads refused, their responses still good', async note => {
    const first = await begin(linkOf(strict, 0), signal);
    await refuseTooLarge(first, signal);
    const noVideo = await refuseFile(first, clips.noise, signal);
    const afterNoise = await sendClip(first, clips.short, signal);
    const second = await begin(linkOf(strict, 1), signal);
    const tooLong = await refuseFile(second, clips.tooLong, signal);
    const afterTooLong = await sendClip(second, clips.short, signal);
    const repeated = await sendFile(second, clips.short, signal);
    checkEqual('the status of a second clip for an answer that has landed', repeated.status, 410);
    note(`413 for ${TOO_LARGE} bytes; 422 “${noVideo}”; 422 “${tooLong}”; 410 for a second clip`);
    return [afterNoise, afterTooLong];
  });
}

const linkOf = ({ created }: Project, index: number): string => created.recipientUrls[index]!.recipientUrl;

async function refuseTooLarge({ link, response }: Pass, signal: AbortSignal): Promise<void> {
  const { responseSessionId } = response;
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(TOO_LARGE),
    'upload-metadata': tusMetadata({ responseSessionId }),
  };
  refused(await send(`${link}/uploads`, { method: 'POST', headers, signal }), 413);
}

/** Resolves to the reason that the contributor sees. */
async function refuseFile(pass: Pass, file: { path: string; mimeType: string }, signal: AbortSignal): Promise<string> {
  const { status, body } = await sendFile(pass, file, signal);
  checkEqual('the status of a clip that must be refused', status, 422);
  const { error, ...more } = body as { error?: string };
  check('the refusal to be {"error"} alone', error && Object.keys(more).length === 0, body);
  const { answers, complete } = await responseOf(pass, signal);
  const [answer] = answers;
  const isOpen = !complete && answer?.submissionId === null;
  check('the response to stay open after a refusal', isOpen, { complete, answer });
  const upload = answer?.uploads.at(-1);
  check('the response to say why', upload?.state === 'refused' && upload.error === error, answer);
  return error!;
}

/** Returns the token with another last letter, so that its checksum is wrong. */
const mistyped = (token: string): string => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
