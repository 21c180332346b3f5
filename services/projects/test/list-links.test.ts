import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import { newProject, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

test('links come in pages, with the shared one on each, and by their state', async () => {
  const made = await newProject(running, { count: 7, settings: { sharedLinkEnabled: true } });
  const { ownerId, projectId } = made.project!;
  const all = made.uniqueLinks.map(({ linkId }) => linkId);
  const { models } = running.store;
  const set = (index: number, fields: object) => models.links.updateOne({ _id: all[index] }, { $set: fields });
  await Promise.all([set(1, { disabled: true }), set(2, { landed: 1 }), set(3, { landed: 1, disabled: true })]);

  const page = (more: { pageSize?: number; cursor?: string; status?: LinkStatus }) =>
    running.projects.listLinks({ ownerId, projectId, ...more });
  const walked: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const answer = await page({ pageSize: 3, cursor });
    assert.equal(answer.sharedLink?.linkId, made.sharedLink!.linkId);
    assert.ok(answer.uniqueLinks.length <= 3);
    walked.push(...answer.uniqueLinks.map(({ linkId }) => linkId));
    cursor = answer.nextCursor;
  }
  assert.deepEqual(walked, all);
  assert.deepEqual((await page({})).uniqueLinks.length, 7, 'without a page size, all');

  const inState = async (status: LinkStatus) => {
    const { uniqueLinks } = await page({ pageSize: 500, status });
    assert.ok(uniqueLinks.every(link => link.status === status));
    return uniqueLinks.map(({ linkId }) => all.indexOf(linkId));
  };
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_DISABLED), [1, 3]);
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_EXHAUSTED), [2]);
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_ACTIVE), [0, 4, 5, 6]);
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_EXPIRED), []);
  await models.projects.updateOne({ _id: projectId }, { $set: { expiresAt: new Date(0) } });
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_ACTIVE), []);
  assert.deepEqual(await inState(LinkStatus.LINK_STATUS_EXPIRED), [0, 4, 5, 6]);
  for (const cursor of ['x', 'MQ', Buffer.from('1:-1').toString('base64url').slice(1)])
    await assert.rejects(page({ pageSize: 3, cursor }), { code: 'invalid' });
});
