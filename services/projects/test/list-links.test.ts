import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { presentLink } from '@recording-request/contract/present';
import { hashToken } from '@recording-request/contract/tokens';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import { pagesOf, people } from './people.ts';
import { newProject, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

test('links are listed in pages, with the shared one on each, and filtered by state', async () => {
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
  assert.deepEqual((await page({})).uniqueLinks.length, 7, 'without a page size, up to 500');

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
  for (const cursor of ['x', 'MQ', ...['1:-1', '1:0', '1:1.5'].map(text => Buffer.from(text).toString('base64url'))])
    await assert.rejects(page({ pageSize: 3, cursor }), { code: 'invalid' });
});

test('used links are filtered by whether their response is complete', async () => {
  const made = await newProject(running, { count: 4, settings: { sharedLinkEnabled: true } });
  const { ownerId, projectId } = made.project!;
  const all = made.uniqueLinks.map(({ linkId }) => linkId);
  const { models } = running.store;
  const set = (index: number, fields: object) => models.links.updateOne({ _id: all[index] }, { $set: fields });
  await Promise.all([
    set(0, { landed: 1 }),
    set(1, { landed: 1, completedAt: new Date(), complete: true }),
    set(2, { landed: 1, completedAt: new Date(), complete: true }),
  ]);
  const status = LinkStatus.LINK_STATUS_EXHAUSTED;
  const listed = async (complete?: boolean, more: { pageSize?: number; cursor?: string } = {}) => {
    const answer = await running.projects.listLinks({ ownerId, projectId, status, complete, ...more });
    assert.equal(answer.sharedLink?.linkId, made.sharedLink!.linkId);
    return { found: answer.uniqueLinks.map(({ linkId }) => all.indexOf(linkId)), cursor: answer.nextCursor };
  };
  assert.deepEqual((await listed(false)).found, [0]);
  assert.deepEqual((await listed()).found, [0, 1, 2]);
  const first = await listed(true, { pageSize: 1 });
  assert.deepEqual(first.found, [1]);
  assert.deepEqual(await listed(true, { pageSize: 1, cursor: first.cursor }), { found: [2], cursor: undefined });
  const { uniqueLinks } = await running.projects.listLinks({ ownerId, projectId, complete: false });
  assert.deepEqual(
    uniqueLinks.map(({ linkId }) => all.indexOf(linkId)),
    [0, 3],
  );
});

test('a link with a lost key does not stop the list, and can be disabled', async () => {
  const made = await newProject(running, { count: 2, settings: { sharedLinkEnabled: true } });
  const { ownerId, projectId } = made.project!;
  const [lost, other] = made.uniqueLinks;
  const sealedToken = `k0.${Buffer.alloc(60).toString('base64url')}`;
  for (const { linkId } of [made.sharedLink!, lost!])
    await running.store.models.links.updateOne({ _id: linkId }, { $set: { sealedToken } });
  const project = { ownerId, projectId };
  await assert.rejects(
    running.projects.listLinks(project),
    refusedAs('internal'),
    'the operator may still restore a missing key',
  );

  await using without = await running.withKeys(running.secretsKey, ['k0']);
  const listed = async (more: { pageSize?: number }) => {
    const { sharedLink, uniqueLinks } = await without.projects.listLinks({ ...project, ...more });
    return [sharedLink!, ...uniqueLinks].map(({ linkId, token, status }) => ({ linkId, token, status }));
  };
  const status = LinkStatus.LINK_STATUS_ACTIVE;
  const expected = [
    { linkId: made.sharedLink!.linkId, token: '', status },
    { linkId: lost!.linkId, token: '', status },
    { linkId: other!.linkId, token: other!.token, status },
  ];
  assert.deepEqual(await listed({}), expected);
  assert.deepEqual(await listed({ pageSize: 2 }), expected);
  await assert.rejects(without.projects.getSharedLink(project), refusedAs('not_found', /cannot be shown any more/));
  const resolved = async () => (await without.projects.resolveRecipient({ tokenHash: hashToken(lost!.token) })).status;
  assert.equal(await resolved(), status, 'the link still works');
  const { link } = await without.projects.updateLink({ ...project, linkId: lost!.linkId, disabled: true });
  assert.deepEqual([link!.token, link!.status], ['', LinkStatus.LINK_STATUS_DISABLED]);
  assert.equal(await resolved(), LinkStatus.LINK_STATUS_DISABLED);
});

test('a page of links is shorter than the memory that the gateway reserves for it, whatever the links state', async () => {
  const texts = (keys: number, text: string) =>
    Object.fromEntries(Array.from({ length: keys }, (_, at) => [String(at).padEnd(40, '-'), text]));
  const stated: [metadata: Record<string, string>, count: number, pages: number][] = [
    [texts(20, '🎬'.repeat(500)), 30, 8],
    [texts(20, '"'.repeat(500)), 100, 13],
    [texts(1, 'x'.repeat(200)), 500, 2],
  ];
  for (const [metadata, count, most] of stated) {
    const invitations = people(count).map(each => ({ ...each, metadata }));
    const made = await newProject(running, { count, invitations: { invitations } });
    const pages = await pagesOf(running, made);
    assert.deepEqual(
      pages.flat().map(({ invitation }) => invitation?.person?.reference),
      invitations.map(({ person }) => person?.reference),
    );
    for (const links of pages) {
      const bytes = Buffer.byteLength(JSON.stringify(links.map(link => presentLink(link, 'https://rec.example.org'))));
      assert.ok(bytes <= 512 * 1024, `${links.length} links: ${bytes} bytes`);
    }
    assert.ok(pages.length <= most, `${pages.length} pages for ${count} links`);
  }
});
