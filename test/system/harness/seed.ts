import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { type HttpClient, httpClient, ok } from '@recording-request/harness/http-client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { type TestClip, testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './limits.ts';

/** Two owners. Each has a project with a landed clip. */
export interface SeedData extends AsyncDisposable {
  system: TestSystem;
  /** Sends requests without a token. */
  ask: HttpClient;
  ada: Owner;
  bob: Owner;
  /** Ada's project with everything enabled, and one clip with speech, a completed transcript and delivered webhooks. */
  full: ProjectCreatedJson;
  clip: SubmissionJson;
  /** Ada's project with nothing enabled and no clip. */
  bare: ProjectCreatedJson;
  bobs: ProjectCreatedJson;
  bobsClip: SubmissionJson;
  /** A short clip without sound, for tests that need many clips. */
  mute: TestClip;
}

export async function submissionsOf(owner: Owner, projectId: string, query = ''): Promise<SubmissionJson[]> {
  return ok(await owner.ask(`/api/projects/${projectId}/submissions?limit=100${query}`)).submissions;
}

/** Creates the owners and their projects. Waits until both clips have landed and their webhooks are delivered. */
export async function seedTwoOwners(system: TestSystem): Promise<SeedData> {
  await using starting = new AsyncDisposableStack();
  const { url: webhookUrl } = starting.use(await startReceiver());
  const [speech, mute, ada, bob] = await Promise.all([
    testClip({ container: 'webm', text: 'please open the door', width: 320, height: 180 }),
    testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 }),
    system.newOwner('Ada'),
    system.newOwner('Bob'),
  ]);
  const everything = { sharedLinkEnabled: true, sharedLinkMaxUses: 20, requireTerms: true, termsText: 'Be kind.' };
  const texts = { termsLabel: 'I agree', requestUrl: 'https://brief.example/1', successMessage: 'Thanks' };
  const full = await ada.createProject({
    projectName: 'Everything',
    count: 3,
    transcriptionEnabled: true,
    noteEnabled: true,
    showSuccessDialog: true,
    webhookUrl,
    webhookSecret: 'a secret of the test',
    webhookEvents: ['submission.media.completed', 'response.completed'],
    ...everything,
    ...texts,
  });
  const bare = await ada.createProject({ projectName: 'Bare', count: 1 });
  const bobs = await bob.createProject({ projectName: 'Of Bob', count: 2, sharedLinkEnabled: true, webhookUrl });
  const link = full.sharedLink!.recipientUrl;
  const responseSessionId = await beginResponse(link, { termsAccepted: true });
  const landed = await sendClip(link, speech, { responseSessionId, note: 'from the contributor' });
  const theirs = bobs.recipientUrls[0]!.recipientUrl;
  const bobsLanded = await sendClip(theirs, mute, { responseSessionId: await beginResponse(theirs) });
  const clip = await ready(ada, full, landed, true);
  const bobsClip = await ready(bob, bobs, bobsLanded, false);
  // Ada's four webhooks are about the clip, its response, its media and its transcript. Bob's webhook is about the
  // clip.
  await delivered(ada, full, 4);
  await delivered(bob, bobs, 1);
  const started = starting.move();
  return {
    ...{ system, ask: httpClient(system.baseUrl), ada, bob, full, clip, bare, bobs, bobsClip, mute },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

const ready = (owner: Owner, project: ProjectCreatedJson, id: string, transcript: boolean): Promise<SubmissionJson> =>
  until(
    `the media of ${project.projectName}`,
    async () => {
      const found = (await submissionsOf(owner, project.projectId)).find(each => each.submissionId === id);
      const words = !transcript || ['completed', 'failed'].includes(found?.transcriptStatus ?? '');
      return found && found.mediaStatus !== 'processing' && words && found;
    },
    SYSTEM_WAIT,
  );

const delivered = (owner: Owner, { projectId, projectName }: ProjectCreatedJson, count: number) =>
  until(
    `${count} webhooks of ${projectName} to be delivered`,
    async () => {
      const { deliveries } = ok(await owner.ask(`/api/projects/${projectId}/webhook-deliveries`));
      return deliveries.length >= count && deliveries.every((each: { state: string }) => each.state === 'delivered');
    },
    SYSTEM_WAIT,
  );
