import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import {
  begin,
  counters,
  land,
  newProject,
  outcomes,
  patch,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

type Made = Awaited<ReturnType<typeof newProject>>;

const setClosed = async ({ project }: Made, closed: boolean) =>
  (await running.projects.setProjectClosed({ ...patch(project, {}), closed })).project!;

const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 500 };

test('a closed project accepts no new responses; a begun one finishes; opened again, it accepts all', async () => {
  const made = await newProject(running, { count: 2, settings: { ...shared, interviewQuestions: ['One?', 'Two?'] } });
  const [used, open] = made.uniqueLinks.map(link => link.linkId) as [string, string];
  const { linkId } = made.sharedLink!;
  const begun = await begin(running, used);
  await land(running, used, begun.responseSessionId, 0);
  const onShared = await begin(running, linkId);
  await setClosed(made, true);
  for (const link of [open, linkId]) await assert.rejects(begin(running, link), refusedAs('gone', /project is closed/));
  // Another device continues the response of the unique link. The same device continues its response of the shared
  // link.
  assert.equal((await begin(running, used)).responseSessionId, begun.responseSessionId);
  await begin(running, linkId, onShared.responseSessionId);
  await running.projects.releaseResponse({ linkId, responseSessionId: onShared.responseSessionId });
  await running.projects.renewResponse({ linkId, responseSessionId: onShared.responseSessionId });
  assert.equal((await land(running, linkId, onShared.responseSessionId, 0)).landed, true);
  assert.equal((await land(running, used, begun.responseSessionId, 1)).complete, true);
  await setClosed(made, false);
  for (const link of [open, linkId]) await begin(running, link);
});

test('links, sums and lists show a closed project as expired; the first time stays', async () => {
  const made = await newProject(running, { count: 3, settings: shared });
  const { ownerId, projectId } = made.project!;
  await land(
    running,
    made.uniqueLinks[0]!.linkId,
    (await begin(running, made.uniqueLinks[0]!.linkId)).responseSessionId,
  );
  await counters(running, made.uniqueLinks[0]!.linkId);
  const first = await setClosed(made, true);
  assert.ok(first.closedAt);
  assert.deepEqual(await setClosed(made, true), first);
  const { project } = await running.projects.getProject({ ownerId, projectId });
  assert.deepEqual(project, first);
  assert.equal(project?.linkStats?.responseSlotsRemaining, 0);
  assert.equal(project?.linkStats?.totalResponseCapacity, 503);
  assert.deepEqual(project?.expiresAt, made.project!.expiresAt);
  const { summaries } = await running.projects.listProjects({ ownerId });
  assert.equal(summaries[0]?.linkStats?.uniqueLinksRemaining, 0);
  const { EXPIRED, EXHAUSTED } = {
    EXPIRED: LinkStatus.LINK_STATUS_EXPIRED,
    EXHAUSTED: LinkStatus.LINK_STATUS_EXHAUSTED,
  };
  const links = await running.projects.listLinks({ ownerId, projectId });
  assert.deepEqual(
    [links.sharedLink, ...links.uniqueLinks].map(link => link?.status),
    [EXPIRED, EXHAUSTED, EXPIRED, EXPIRED],
  );
  const expired = await running.projects.listLinks({ ownerId, projectId, status: EXPIRED });
  assert.equal(expired.uniqueLinks.length, 2);
  const tokenHash = hashToken(made.sharedLink!.token);
  const resolved = await running.projects.resolveRecipient({ tokenHash });
  assert.deepEqual([resolved.status, resolved.projectClosed], [EXPIRED, true]);
  const changed = await running.projects.updateProject(patch(made.project, { projectName: 'Later' }));
  assert.deepEqual(changed.project?.closedAt, first.closedAt, 'an update does not open it');
  for (let calls = 0; calls < 2; calls++) assert.equal((await setClosed(made, false)).closedAt, undefined);
  const again = await running.projects.resolveRecipient({ tokenHash });
  assert.deepEqual([again.status, again.projectClosed], [LinkStatus.LINK_STATUS_ACTIVE, false]);
});

test('a claim after the close is refused, however many claims are running', async () => {
  const made = await newProject(running, { settings: shared });
  const { linkId } = made.sharedLink!;
  const earlier = Array.from({ length: 100 }, () => begin(running, linkId).catch(() => {}));
  await setClosed(made, true);
  const later = await outcomes(Array.from({ length: 20 }, () => begin(running, linkId, session())));
  assert.deepEqual(later, { gone: 20 });
  const begun = (await Promise.all(earlier)).filter(Boolean).length;
  assert.equal((await counters(running, linkId)).claimed, begun);
});
