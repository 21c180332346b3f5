import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { begin, clipOf, send, type TestClip } from './contributor.ts';
import { type Ask, asker, ok } from './http.ts';
import type { System } from './system.ts';
import { until } from './wait.ts';

export interface Owner {
  userId: string;
  token: string;
  /** Asks with the owner's full token. */
  ask: Ask;
  create(settings: Record<string, unknown>): Promise<ProjectCreatedJson>;
}

/** Two owners, each with a project in which a clip has landed. */
export interface Scene {
  system: System;
  /** Asks without a token. */
  ask: Ask;
  ada: Owner;
  bob: Owner;
  /** Ada's: everything is switched on, one clip with speech, its transcript completed, its webhook delivered. */
  full: ProjectCreatedJson;
  clip: SubmissionJson;
  /** Ada's too: nothing is switched on, nothing has landed. */
  bare: ProjectCreatedJson;
  bobs: ProjectCreatedJson;
  bobsClip: SubmissionJson;
  /** A short clip without sound, for tests that need many. */
  mute: TestClip;
  close(): Promise<void>;
}

export async function newOwner(system: System, userName: string, videoLimit?: number): Promise<Owner> {
  const userId = await system.accounts.createUser(userName, videoLimit);
  const { secret } = await system.accounts.createToken(userId);
  const ask = asker(system.baseUrl, secret);
  const create = async (json: Record<string, unknown>) => ok(await ask('/api/projects', { method: 'POST', json }));
  return { userId, token: secret, ask, create };
}

export async function submissionsOf(owner: Owner, projectId: string, query = ''): Promise<SubmissionJson[]> {
  return ok(await owner.ask(`/api/projects/${projectId}/submissions?limit=100${query}`)).submissions;
}

export async function setScene(system: System): Promise<Scene> {
  await using starting = new AsyncDisposableStack();
  const receiver = await startReceiver();
  starting.defer(async () => {
    receiver.closeAllConnections();
    await new Promise(resolve => receiver.close(resolve));
  });
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const dir = join(system.scratch, 'clips');
  const [speech, mute, ada, bob] = await Promise.all([
    clipOf({ dir, container: 'webm', text: 'please open the door', width: 320, height: 180 }),
    clipOf({ dir, container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 }),
    newOwner(system, 'Ada'),
    newOwner(system, 'Bob'),
  ]);
  const everything = { sharedLinkEnabled: true, sharedLinkMaxUses: 20, requireTerms: true, termsText: 'Be kind.' };
  const texts = { termsLabel: 'I agree', requestUrl: 'https://brief.example/1', successMessage: 'Thanks' };
  const full = await ada.create({
    projectName: 'Everything',
    count: 3,
    transcriptionEnabled: true,
    noteEnabled: true,
    showSuccessDialog: true,
    webhookUrl,
    webhookSecret: 'a secret of the test',
    ...everything,
    ...texts,
  });
  const bare = await ada.create({ projectName: 'Bare', count: 1 });
  const bobs = await bob.create({ projectName: 'Of Bob', count: 2, sharedLinkEnabled: true, webhookUrl });
  const link = full.sharedLink!.recipientUrl;
  const note = { note: 'from the contributor' };
  const landed = await send(link, speech, { responseSessionId: await begin(link, { termsAccepted: true }), ...note });
  const theirs = bobs.recipientUrls[0]!.recipientUrl;
  const bobsLanded = await send(theirs, mute, { responseSessionId: await begin(theirs) });
  const ready = (owner: Owner, project: ProjectCreatedJson, id: string, transcript: boolean) =>
    until(`the media of ${project.projectName}`, async () => {
      const found = (await submissionsOf(owner, project.projectId)).find(each => each.submissionId === id);
      const words = !transcript || ['completed', 'failed'].includes(found?.transcriptStatus ?? '');
      return found && found.mediaStatus !== 'processing' && words && found;
    });
  const clip = await ready(ada, full, landed, true);
  const bobsClip = await ready(bob, bobs, bobsLanded, false);
  // Of the clip and of its transcript; of Bob's the clip alone.
  await delivered(ada, full, 2);
  await delivered(bob, bobs, 1);
  const started = starting.move();
  return {
    ...{ system, ask: asker(system.baseUrl), ada, bob, full, clip, bare, bobs, bobsClip, mute },
    close: () => started.disposeAsync(),
  };
}

const delivered = (owner: Owner, { projectId, projectName }: ProjectCreatedJson, count: number) =>
  until(`${count} webhooks of ${projectName} to be delivered`, async () => {
    const { deliveries } = ok(await owner.ask(`/api/projects/${projectId}/webhook-deliveries`));
    return deliveries.length >= count && deliveries.every((each: { state: string }) => each.state === 'delivered');
  });

/** A webhook endpoint that takes everything. */
async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}
