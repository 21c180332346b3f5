import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok, send } from '@recording-request/harness/http-client';
import { waitFor } from '@recording-request/stack/wait';
import { check, checkEqual } from '../check.ts';
import type { LandedClip } from '../contributor.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import { type Landed, NOTE, sha256Of } from './contribute.ts';
import { type Projects, QUESTIONS } from './create-projects.ts';

/** A sent clip and its submission. */
export interface Settled {
  name: string;
  landed: LandedClip;
  submission: SubmissionJson;
}

const LIMIT_MS = 180_000;

/** Waits until media and transcripts of every clip are final, and checks the submissions' fields. */
export async function settle(
  { play, signal }: Show,
  owner: Owner,
  projects: Projects,
  landed: Landed,
  strict: LandedClip[],
): Promise<Settled[]> {
  return play('media and transcripts ready', async note => {
    const ended = (projectId: string, count: number) =>
      waitFor(
        'media and transcripts',
        async () => {
          const all = await owner.submissions(projectId);
          const open = all.filter(isOpen).map(stateOf);
          check(`${count} clips with media and transcripts`, all.length >= count && open.length === 0, open);
          return all;
        },
        { timeoutMs: LIMIT_MS, checkMs: 30_000, intervalMs: 200, signal },
      );
    const stories = await ended(projects.stories.created.projectId, 2);
    const interview = await ended(projects.interview.created.projectId, 2);
    const short = await ended(projects.strict.created.projectId, strict.length);
    checkOrder('Customer stories', stories, [landed.webm, landed.mp4]);
    checkOrder('Interview', interview, landed.answers);
    checkOrder('Short clips', short, strict);
    const all = [...stories, ...interview, ...short];
    const settled = (name: string, clip: LandedClip): Settled => {
      const submission = all.find(one => one.submissionId === clip.submissionId)!;
      return { name, landed: clip, submission };
    };
    const [first, second] = landed.answers;
    const clips = [
      settled('webm', landed.webm),
      settled('mp4', landed.mp4),
      settled('answer-1', first),
      settled('answer-2', second),
      ...strict.map((clip, at) => settled(`short-${at + 1}`, clip)),
    ];
    for (const one of clips) await checkFields(one);
    checkStories(clips);
    for (const one of short) checkEqual('the transcript where it is off', one.transcriptStatus, 'disabled');
    note(`${all.length} submissions`);
    return clips;
  });
}

const isOpen = ({ mediaStatus, transcriptStatus }: SubmissionJson) =>
  mediaStatus === 'processing' || transcriptStatus === 'pending' || transcriptStatus === 'processing';

const stateOf = ({ submissionId, mediaStatus, transcriptStatus }: SubmissionJson) =>
  `${submissionId}: media ${mediaStatus}, transcript ${transcriptStatus}`;

function checkOrder(project: string, got: SubmissionJson[], sent: readonly LandedClip[]): void {
  const ids = sent.map(({ submissionId }) => submissionId).reverse();
  checkEqual(
    `the submissions of “${project}”, newest first`,
    got.map(({ submissionId }) => submissionId),
    ids,
  );
}

async function checkFields({ name, landed, submission }: Settled): Promise<void> {
  const { clip } = landed;
  check(`the media of ${name} to be ready`, submission.mediaStatus === 'ready', submission.mediaError);
  checkEqual(`sha256 of ${name} as it was sent`, submission.sha256, await sha256Of(clip.path));
  const isClose = Math.abs((submission.durationSec ?? -1) - clip.durationSec) <= 1;
  check(`durationSec of ${name} to be ${clip.durationSec.toFixed(1)} s, rounded`, isClose, submission.durationSec);
  check(`${name} to be whole`, !submission.incomplete, submission);
}

function checkStories(clips: Settled[]): void {
  const [webm, mp4, first, second] = clips.map(({ submission }) => submission);
  check('the terms of the first clip to be accepted', webm!.termsAccepted && webm!.terms?.acceptedAt, webm!.terms);
  checkEqual('the note of the first clip', webm!.note, NOTE);
  checkEqual('the note of the second clip', mp4!.note, null);
  check('the first clip to be stored as WebM', webm!.mimeType?.startsWith('video/webm'), webm!.mimeType);
  check('the second clip to be stored as MP4', mp4!.mimeType?.startsWith('video/mp4'), mp4!.mimeType);
  checkEqual('a responseSessionId outside interviews', webm!.responseSessionId, null);
  const isOneResponse = first!.responseSessionId && first!.responseSessionId === second!.responseSessionId;
  check('both answers to carry the same responseSessionId', isOneResponse, [first, second]);
  for (const [index, answer] of [first, second].entries()) {
    checkEqual('questionIndex', answer!.questionIndex, index);
    checkEqual('questionText', answer!.questionText, QUESTIONS[index]);
  }
}

export async function checkDashboardList({ play, signal }: Show, projects: Projects, clips: Settled[]): Promise<void> {
  await play('dashboard token reads the same submissions', async () => {
    const { dashboardUrl } = projects.stories.created;
    const { submissions }: { submissions: SubmissionJson[] } = ok(
      await send(`${dashboardUrl}/submissions`, { signal }),
    );
    const wanted = clips.slice(0, 2).map(({ landed }) => landed.submissionId);
    checkEqual('the dashboard’s submissions', submissions.map(one => one.submissionId).reverse(), wanted);
  });
}
