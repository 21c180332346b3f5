import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { ListProjectsResponse } from '@recording-request/proto/projects/v1/projects';
import { add, people } from './people.ts';
import { newOwner, newProject, patch, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

test("another owner's project looks exactly like a missing one", async () => {
  const made = await newProject(running, { settings: { sharedLinkEnabled: true } });
  const { projectId } = made.project!;
  const ownerId = await newOwner(running);
  const { projects } = running;
  const of = (id: string) => ({ ownerId, projectId: id });
  const calls = (id: string) => [
    () => projects.getProject({ ownerId, projectId: id }),
    () => projects.getProject({ ownerId, projectId: id, nameOnly: true }),
    () => projects.updateProject(patch({ ownerId, projectId: id }, { projectName: 'Mine' })),
    () => projects.updateProject(patch({ ownerId, projectId: id }, { sharedLinkMaxUses: 5 })),
    () => projects.listLinks({ ownerId, projectId: id }),
    () => projects.getSharedLink({ ownerId, projectId: id }),
    () => projects.updateLink({ ownerId, projectId: id, linkId: made.sharedLink!.linkId, disabled: true }),
    () => projects.updateLink({ ...of(id), linkId: made.sharedLink!.linkId, metadata: { metadata: { a: 'b' } } }),
    () => add(running, { project: { ...made.project!, ...of(id) } }, people(1)),
    () => add(running, { project: { ...made.project!, ...of(id) } }, people(1), { dryRun: true }),
    () => projects.findInvitations({ ...of(id), reference: 'P-1' }),
    () => projects.setProjectClosed({ ownerId, projectId: id, closed: true }),
    () => projects.rotateDashboardToken({ ownerId, projectId: id }),
  ];
  const words = async (call: () => Promise<unknown>) => {
    const error = await call().then(
      () => assert.fail('it must be refused'),
      error => error,
    );
    return [error.code, error.message];
  };
  const missing = calls('00000000-0000-7000-8000-000000000000');
  for (const [index, call] of calls(projectId).entries()) {
    assert.deepEqual(await words(call), await words(missing[index]!));
    assert.equal((await words(call))[0], 'not_found');
  }
  assert.deepEqual((await projects.listProjects({ ownerId })).summaries, []);
  const { project } = await projects.getProject(made.project!);
  assert.deepEqual(project, made.project);
});

test('the projects of an owner are listed newest first, with the figures of each', async () => {
  const ownerId = await newOwner(running);
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) {
    const made = await newProject(running, { count: index + 1, settings: { sharedLinkEnabled: index === 1 } }, ownerId);
    ids.unshift(made.project!.projectId);
  }
  await newProject(running);
  const { summaries: projects } = await running.projects.listProjects({ ownerId });
  assert.deepEqual(
    projects.map(project => project.projectId),
    ids,
  );
  assert.deepEqual(
    projects.map(project => [project.linkStats?.uniqueLinksTotal, project.linkStats?.sharedUsesRemaining]),
    [
      [3, 0],
      [2, 100],
      [1, 0],
    ],
  );
});

test('a list of the largest projects has pages, and their long texts stay in the database', async () => {
  const ownerId = await newOwner(running);
  const settings = {
    webhookUrl: `https://rec.example/${'w'.repeat(2_000)}`,
    requestUrl: `https://rec.example/${'r'.repeat(2_000)}`,
    termsText: '☕'.repeat(20_000),
    successMessage: '☕'.repeat(2_000),
    interviewQuestions: Array.from({ length: 50 }, () => '🎬'.repeat(500)),
  };
  const made: string[] = [];
  for (let index = 0; index < 5; index++) {
    made.unshift((await newProject(running, { settings }, ownerId)).project!.projectId);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await running.projects.listProjects({ ownerId, pageSize: 2, cursor });
    const bytes = ListProjectsResponse.encode(page).finish().length;
    assert.ok(bytes < 2_000, `a page of 2 projects has ${bytes} bytes: 2,000 of them must not grow with their texts`);
    for (const project of page.summaries) {
      seen.push(project.projectId);
      assert.deepEqual([project.questionCount, project.webhookEnabled], [50, true]);
      assert.equal(project.linkStats?.uniqueLinksRemaining, 1);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, made);
  await assert.rejects(running.projects.listProjects({ ownerId, pageSize: 2, cursor: 'x' }), refusedAs('invalid'));
});

test('projects are found by words of their names, page by page, in any letter case and normal form', async () => {
  const ownerId = await newOwner(running);
  const names = ['Grüße aus Köln', 'Weekly STORIES', 'Stories of May', 'a.b (c)', 'GRU\u0308SSE'];
  for (const projectName of names) await newProject(running, { settings: { projectName } }, ownerId);
  await newProject(running, { settings: { projectName: 'Stories of another owner' } });
  const found = async (search: string | undefined, page = {}) => {
    const { summaries, nextCursor } = await running.projects.listProjects({ ownerId, search, ...page });
    return { names: summaries.map(({ projectName }) => projectName), nextCursor };
  };
  assert.deepEqual((await found('stories')).names, ['Stories of May', 'Weekly STORIES']);
  assert.deepEqual((await found(' MAY\0ories ')).names, ['Stories of May']);
  assert.deepEqual((await found('grüsse')).names, ['GRU\u0308SSE', 'Grüße aus Köln']);
  assert.deepEqual((await found('a.b (c)')).names, ['a.b (c)']);
  assert.deepEqual((await found('.*')).names, []);
  assert.deepEqual((await found('  ')).names, [...names].reverse());
  assert.deepEqual((await found('one two three four five six seven eight stories')).names, []);
  const first = await found('stories', { pageSize: 1 });
  assert.deepEqual(first.names, ['Stories of May']);
  const last = await found('stories', { pageSize: 1, cursor: first.nextCursor });
  assert.deepEqual(last, { names: ['Weekly STORIES'], nextCursor: undefined });
});

test('a search of projects reads no project that it does not return', async () => {
  const ownerId = await newOwner(running);
  for (let index = 0; index < 12; index++)
    await newProject(running, { settings: { projectName: index === 5 ? 'Needle' : 'Hay' } }, ownerId);
  const { collection } = running.store.models.projects;
  const filter = { ownerId, 'settings.projectName': { $regex: 'needle', $options: 'i' } } as never;
  const { executionStats } = await collection.find(filter).sort({ _id: -1 }).limit(5).explain();
  assert.deepEqual([executionStats.nReturned, executionStats.totalDocsExamined], [1, 1]);
});

test('a dashboard token opens its project until it is rotated', async () => {
  const made = await newProject(running);
  const { ownerId, projectId } = made.project!;
  const resolve = (token: string) => running.projects.resolveDashboardToken({ tokenHash: hashToken(token) });
  assert.deepEqual(await resolve(made.projectToken), { ownerId, projectId });
  const { projectToken } = await running.projects.rotateDashboardToken({ ownerId, projectId });
  assert.deepEqual(await resolve(projectToken), { ownerId, projectId });
  await assert.rejects(resolve(made.projectToken), refusedAs('not_found'));
});

test('a recording token is looked up only by its hash', async () => {
  const made = await newProject(running);
  const found = await running.projects.resolveRecipient({ tokenHash: hashToken(made.uniqueLinks[0]!.token) });
  assert.equal(found.linkId, made.uniqueLinks[0]!.linkId);
  assert.deepEqual(found.settings, made.project?.settings);
  await assert.rejects(running.projects.resolveRecipient({ tokenHash: randomBytes(32) }), refusedAs('not_found'));
  await assert.rejects(running.projects.resolveRecipient({ tokenHash: randomBytes(31) }), refusedAs('invalid'));
});

test('the first opening of a link is stored', async () => {
  const made = await newProject(running);
  const linkId = made.uniqueLinks[0]!.linkId;
  const { projectId } = made.project!;
  const openedAt = async () => (await running.store.links.find({ linkId, projectId }))?.openedAt?.getTime();
  await running.projects.openLink({ linkId, projectId });
  const first = await openedAt();
  assert.ok(first);
  await running.projects.openLink({ linkId, projectId });
  assert.equal(await openedAt(), first);
  await assert.rejects(running.projects.openLink({ linkId: projectId, projectId }), refusedAs('not_found'));
});
