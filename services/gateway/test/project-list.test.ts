import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { presentProjectSummary, summaryOf } from '@recording-request/contract/present';
import { DomainError } from '@recording-request/kit/errors';
import type { ListProjectsRequest } from '@recording-request/proto/projects/v1/projects';
import { asProject, startTestGateway, type TestGateway } from './test-service.ts';

let harness: TestGateway;
before(async () => {
  harness = await startTestGateway({});
});
after(() => harness[Symbol.asyncDispose]());

const COUNTS = {
  videosCreated: 3,
  selectedVideos: 1,
  transcriptCompleted: 2,
  transcriptPending: 1,
  transcriptFailed: 0,
};

/** Adds a projects service with many projects. Its cursor is the number of projects on earlier pages. */
function manyProjects(total: number, name: string) {
  const nameOf = (index: number) => `${index} ${name}`;
  let pages = 0;
  harness.behind.submissions = {
    countSubmissions: async ({ projectIds }) => ({ counts: Object.fromEntries(projectIds.map(id => [id, COUNTS])) }),
  };
  harness.behind.projects = {
    async listProjects({ pageSize, cursor }: ListProjectsRequest) {
      pages++;
      const from = Number(cursor ?? 0);
      const to = Math.min(total, from + pageSize!);
      const summaries = Array.from({ length: to - from }, (_, i) => summaryOf(asProject(nameOf(from + i))));
      return { summaries, nextCursor: to < total ? String(to) : undefined };
    },
  };
  return { nameOf, pages: () => pages };
}
const listed = (init: RequestInit = {}) => fetch(`${harness.base}/api/projects`, { headers: harness.bearer, ...init });

test('a long list of projects is the same JSON as a short one, sent in pages', async () => {
  for (const total of [0, 3, 450]) {
    const { nameOf, pages } = manyProjects(total, 'Stories');
    const response = await listed();
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    const all = Array.from({ length: total }, (_, i) => presentProjectSummary(summaryOf(asProject(nameOf(i))), COUNTS));
    assert.equal(await response.text(), JSON.stringify({ projects: all }));
    assert.equal(pages(), Math.max(1, Math.ceil(total / 200)));
  }
  assert.equal(await (await listed({ method: 'HEAD' })).text(), '');
});

test('with limit, cursor or q, the list is one page with a cursor, and costs one page', async () => {
  const asked: ListProjectsRequest[] = [];
  const { nameOf, pages } = manyProjects(2_000, 'Stories');
  const { listProjects } = harness.behind.projects!;
  harness.behind.projects = {
    async listProjects(request, call) {
      asked.push(request);
      return await listProjects!(request, call);
    },
  };
  const page = async (query: string) => {
    const response = await fetch(`${harness.base}/api/projects?${query}`, { headers: harness.bearer });
    assert.equal(response.status, 200, query);
    assert.ok(response.headers.get('etag'));
    return (await response.json()) as {
      projects: { projectName: string }[];
      pagination: { nextCursor: string | null };
    };
  };
  const first = await page('limit=10');
  assert.deepEqual(
    first.projects.map(({ projectName }) => projectName),
    Array.from({ length: 10 }, (_, index) => nameOf(index)),
  );
  assert.deepEqual(first.pagination, { nextCursor: '10' });
  assert.deepEqual(Object.keys(first), ['projects', 'pagination']);
  assert.equal(pages(), 1);
  assert.equal((await page('limit=500&cursor=1500')).pagination.nextCursor, null);
  assert.equal((await page('q=stories')).projects.length, 100);
  const last = asked.at(-1)!;
  assert.deepEqual([last.search, last.pageSize, last.cursor], ['stories', 100, undefined]);
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'cursor=', `q=${'x'.repeat(201)}`, 'page=2', 'Limit=1']) {
    const refused = await fetch(`${harness.base}/api/projects?${query}`, { headers: harness.bearer });
    assert.equal(refused.status, 400, query);
  }
});

test('a slow reader slows the list of projects down, and a failure midway breaks the connection', async () => {
  const { pages } = manyProjects(20_000, 'x'.repeat(10_000));
  const reader = (await listed()).body!.getReader();
  await reader.read();
  let before = -1;
  while (pages() !== before) {
    before = pages();
    await delay(300);
  }
  assert.ok(pages() < 30, `${pages()} pages of 2 MB were requested for a reader that reads nothing`);
  harness.behind.projects = {
    listProjects: async () => {
      throw new DomainError('unavailable', 'broken');
    },
  };
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  await assert.rejects(rest());
});
