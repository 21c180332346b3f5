import type { FeedEventType, RecordingRequest } from '@recording-request/client';
import { EXIT, Failure } from '../failures.ts';
import { CLIP_BASE64 } from './clip.ts';

const NAME = 'rr trigger';
const USES = 500;
const LEAST_LEFT_MS = 10 * 60_000;
const MOST = 100;

export interface Sandbox {
  projectId: string;
  isNew: boolean;
}

/** The clip or the link that an event is about. */
export interface About {
  submissionId?: string;
  tokenId?: string;
}

/** The events that `rr trigger` can cause, and the resource that each needs. */
export const CAUSES = {
  'submission.completed': 'clip',
  'submission.media.completed': 'clip',
  'submission.transcript.completed': 'clip',
  'response.completed': 'clip',
  'submission.erased': 'clip',
  'link.recording': 'clip',
  'link.reminder_due': 'link',
  'link.closed': 'link',
  'project.created': 'project',
  'project.updated': 'project',
} as const satisfies Partial<Record<FeedEventType, string>>;

/** Returns the sandbox to use: the caller's, or an earlier one of this command, or a new one. */
export async function sandboxOf(
  client: RecordingRequest,
  given: string | undefined,
  type: FeedEventType,
  signal: AbortSignal,
): Promise<Sandbox> {
  if (given !== undefined) {
    const { sandbox, projectName } = await client.projects.get(given, { signal });
    if (!sandbox) throw new Failure(EXIT.invalid, `${projectName} is no sandbox: a clip in it would be real.`);
    return { projectId: given, isNew: false };
  }
  if (type !== 'project.created')
    for (const project of await client.projects.list({ q: NAME, limit: MOST }, { signal }).all(MOST)) {
      const left = Date.parse(project.expiresAt ?? '') - Date.now();
      const uses = project.stats.sharedUsesRemaining;
      if (project.sandbox && project.projectName === NAME && left > LEAST_LEFT_MS && uses > 0)
        return { projectId: project.projectId, isNew: false };
    }
  const made = await client.projects.create(
    {
      ...{ projectName: NAME, count: 1, sandbox: true, transcriptionEnabled: true, transcriptionLanguage: 'en' },
      ...{ sharedLinkEnabled: true, sharedLinkMaxUses: USES },
    },
    { signal },
  );
  return { projectId: made.projectId, isNew: true };
}

/** Causes an event in a sandbox. Returns the clip or link that it is about. */
export async function cause(
  client: RecordingRequest,
  { projectId }: Sandbox,
  type: FeedEventType,
  signal: AbortSignal,
): Promise<About> {
  switch (CAUSES[type as keyof typeof CAUSES]) {
    case 'project':
      if (type === 'project.updated') {
        const successMessage = `Changed at ${new Date().toISOString()}`;
        await client.projects.update(projectId, { successMessage }, { signal });
      }
      return {};
    case 'link': {
      const added = await client.links.add(projectId, { links: [{ name: 'A test of rr trigger' }] }, {}, { signal });
      const { tokenId } = added.links[0]!;
      if (type === 'link.closed') await client.links.update(projectId, tokenId, { disabled: true }, { signal });
      else await client.links.remind(projectId, tokenId, { signal });
      return { tokenId };
    }
    default: {
      const about = await sendBundled(client, projectId, signal);
      if (type === 'submission.erased') {
        const { confirm } = await client.submissions.erase(projectId, about.submissionId!, {}, { signal });
        await client.submissions.erase(projectId, about.submissionId!, { confirm: confirm! }, { signal });
      }
      return type === 'link.recording' ? { tokenId: about.tokenId } : { submissionId: about.submissionId };
    }
  }
}

async function sendBundled(client: RecordingRequest, projectId: string, signal: AbortSignal): Promise<Required<About>> {
  const { body } = await client.links.list(projectId, { limit: 1 }, { signal }).first();
  const link = body.sharedLink ?? body.recipientUrls.find(each => each.status === 'active');
  if (link?.status !== 'active')
    throw new Failure(EXIT.invalid, 'The sandbox has no link that accepts a clip. Make one with a shared link.');
  const recorder = client.recorder(link.recipientUrl);
  const { responseSessionId, questions } = await recorder.begin({ termsAccepted: true }, { signal });
  const bytes = Buffer.from(CLIP_BASE64, 'base64');
  const questionIndex = questions.length > 0 ? 0 : null;
  const { submissionId } = await recorder.upload(bytes, {
    ...{ responseSessionId, questionIndex, fileType: 'video/webm', signal },
  });
  return { submissionId, tokenId: link.tokenId };
}
