import { randomBytes } from 'node:crypto';
import { SCOPES } from '@recording-request/contract/resources/fields';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { ok } from '@recording-request/harness/http-client';
import { check, checkEqual } from '../check.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';

export interface Project {
  created: ProjectCreatedJson;
  webhookSecret: string;
}

export interface Projects {
  /** A project with terms, a note, transcripts, two unique links and a shared link. */
  stories: Project;
  /** A project with two questions and a shared link. */
  interview: Project;
  /** A project for refused clips: it permits at most MAX_SHORT_SEC and has no transcripts. */
  strict: Project;
}

export const TERMS = 'I agree that my recording may be shown.';
export const QUESTIONS = ['What brought you here?', 'What matters most to you?'];
export const SHARED_USES = 5;
export const MAX_SHORT_SEC = 3;

/** The owner creates three projects and finds them in the list, newest first. */
export async function createProjects({ sink, play }: Show, owner: Owner): Promise<Projects> {
  return play('owner created three projects', async note => {
    const me: { userName: string; scopes: string[]; videoLimit: number | null } = ok(await owner.get('/api/me'));
    check(
      'the owner to have every scope and no limit',
      me.scopes.length === SCOPES.length && me.videoLimit === null,
      me,
    );
    const make = async (settings: Record<string, unknown>, webhookSecret: string): Promise<Project> => {
      const body = { neverExpire: true, webhookUrl: sink.url, webhookSecret, ...settings };
      return { created: await owner.createProject(body), webhookSecret };
    };
    const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: SHARED_USES };
    const stories = await make(
      {
        projectName: 'Customer stories',
        count: 2,
        maxDurationSec: 60,
        transcriptionEnabled: true,
        noteEnabled: true,
        requireTerms: true,
        termsText: TERMS,
        ...shared,
      },
      // This secret is base64 and the next one is plain text, so that both kinds are covered.
      `whsec_${randomBytes(24).toString('base64')}`,
    );
    const interview = await make(
      { projectName: 'Interview', count: 1, transcriptionEnabled: true, interviewQuestions: QUESTIONS, ...shared },
      randomBytes(24).toString('hex'),
    );
    const strict = await make(
      { projectName: 'Short clips', count: 2, maxDurationSec: MAX_SHORT_SEC },
      randomBytes(24).toString('hex'),
    );
    checkEqual('unique links of the first project', stories.created.recipientUrls.length, 2);
    check(
      'a shared link with its uses',
      stories.created.sharedLink?.maxUses === SHARED_USES,
      stories.created.sharedLink,
    );
    checkEqual('the questions of the interview', interview.created.interviewQuestions, QUESTIONS);
    const { projects }: { projects: { projectName: string }[] } = ok(await owner.get('/api/projects'));
    checkEqual(
      'the list of projects, newest first',
      projects.slice(0, 3).map(({ projectName }) => projectName),
      ['Short clips', 'Interview', 'Customer stories'],
    );
    note(`5 unique links and 2 shared ones of ${SHARED_USES} uses`);
    return { stories, interview, strict };
  });
}
