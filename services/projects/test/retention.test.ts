import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newProject, patch, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects({ RETENTION_DAYS: '30' });
});
after(() => running[Symbol.asyncDispose]());

const listed = async () => (await running.projects.listRetentions({ afterProjectId: '', pageSize: 1_000 })).retentions;

test('a retention is stored, changed and removed; the submissions service lists it', async () => {
  const made = await newProject(running, { retentionDays: 30 });
  const { ownerId, projectId } = made.project!;
  assert.equal(made.project?.retentionDays, 30);
  assert.deepEqual(await listed(), [{ projectId, ownerId, days: 30 }]);
  const change = async (retentionDays: number | undefined) =>
    (await running.projects.updateProject({ ...patch(made.project, {}), retentionDays })).project?.retentionDays;
  assert.equal(await change(7), 7);
  assert.equal(await change(undefined), 7);
  assert.deepEqual(await listed(), [{ projectId, ownerId, days: 7 }]);
  assert.equal(await change(0), undefined);
  assert.deepEqual(await listed(), []);
  assert.equal((await newProject(running)).project?.retentionDays, undefined);
});

test('pages of retentions follow each other, and their size has limits', async () => {
  for (let made = 0; made < 3; made++) await newProject(running, { retentionDays: 1 + made });
  const first = await running.projects.listRetentions({ afterProjectId: '', pageSize: 2 });
  const afterProjectId = first.retentions.at(-1)!.projectId;
  const second = await running.projects.listRetentions({ afterProjectId, pageSize: 2 });
  assert.deepEqual([...first.retentions, ...second.retentions], await listed());
  for (const pageSize of [0, 1_001])
    await assert.rejects(running.projects.listRetentions({ afterProjectId: '', pageSize }), refusedAs('invalid'));
});

test('a retention longer than the operator’s is refused, with the limit', async () => {
  const refused = refusedAs('invalid', /^retentionDays must be at most 30: /);
  await assert.rejects(newProject(running, { retentionDays: 31 }), refused);
  const made = await newProject(running, { retentionDays: 29 });
  const change = { ...patch(made.project, { projectName: 'Other' }), retentionDays: 31 };
  await assert.rejects(running.projects.updateProject(change), refused);
  const { ownerId, projectId } = made.project!;
  const { project } = await running.projects.getProject({ ownerId, projectId });
  assert.deepEqual(project, made.project, 'a refused update changes nothing');
});
