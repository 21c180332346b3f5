import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expectAnswer, refused, send } from '@recording-request/harness/http-client';
import { check, checkEqual } from '../check.ts';
import { begin, type LandedClip, responseOf, sendClip } from '../contributor.ts';
import type { Show } from '../show.ts';
import { type Projects, QUESTIONS } from './create-projects.ts';
import type { Clips } from './make-clips.ts';

export const NOTE = 'Recorded at home; the light is a bit low.';
/** A client's trace id, which the services must not adopt. */
export const CLIENT_TRACE_ID = 'f0'.repeat(16);

export interface Landed {
  webm: LandedClip;
  mp4: LandedClip;
  answers: [LandedClip, LandedClip];
}

const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

/** Three contributors send four clips, over HTTP as browsers do. */
export async function contribute(show: Show, projects: Projects, clips: Clips): Promise<Landed> {
  return {
    webm: await sendBrokenWebm(show, projects, clips),
    mp4: await sendMp4(show, projects, clips),
    answers: await answerInterview(show, projects, clips),
  };
}

function sendBrokenWebm({ play, signal }: Show, { stories }: Projects, { webm }: Clips): Promise<LandedClip> {
  return play('live WebM landed over a connection that broke', async note => {
    const link = stories.created.recipientUrls[0]!.recipientUrl;
    refused(await send(`${link}/responses`, { method: 'POST', json: {}, signal }), 400);
    const pass = await begin(link, signal, { termsAccepted: true });
    const options = { deferLength: true, breakAt: 0.4, note: NOTE };
    const landed = await sendClip(pass, webm, signal, options);
    const { patches, broken } = landed.end;
    note(`${inMb(landed.bytes)} in ${patches} requests, length declared with the last`);
    note(
      `the connection broke at byte ${broken?.sent}, with ${broken?.acknowledged} acknowledged; the server had ${broken?.resumedAt} and the upload continued there`,
    );
    return landed;
  });
}

function sendMp4({ play, signal }: Show, { stories }: Projects, { mp4 }: Clips): Promise<LandedClip> {
  return play('MP4 landed through another link', async note => {
    const pass = await begin(stories.created.recipientUrls[1]!.recipientUrl, signal, { termsAccepted: true });
    const headers = { traceparent: `00-${CLIENT_TRACE_ID}-${'f0'.repeat(8)}-01` };
    const landed = await sendClip(pass, mp4, signal, { headers });
    note(`${inMb(landed.bytes)} in ${landed.end.patches} requests`);
    return landed;
  });
}

function answerInterview(
  { play, signal }: Show,
  { interview }: Projects,
  { answers }: Clips,
): Promise<[LandedClip, LandedClip]> {
  return play('interview answered through the shared link', async note => {
    const pass = await begin(interview.created.sharedLink!.recipientUrl, signal);
    checkEqual('the questions that the contributor sees', pass.response.questions, QUESTIONS);
    const first = await sendClip(pass, answers[0], signal, { questionIndex: 0, deferLength: true });
    check(
      'an interview with an answer missing to be incomplete',
      !(await responseOf(pass, signal)).complete,
      'complete',
    );
    const second = await sendClip(pass, answers[1], signal, { questionIndex: 1 });
    const { complete, thankYouUrl } = await responseOf(pass, signal);
    check('the interview to be complete, with a thank-you page', complete && thankYouUrl, { complete, thankYouUrl });
    expectAnswer(await send(thankYouUrl!, { signal }), 200);
    note(`2 answers, ${inMb(first.bytes + second.bytes)}`);
    return [first, second];
  });
}

/** Returns the SHA-256 of a clip's file in hex. */
export async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
