import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  creation,
  newOwner,
  newProject,
  patch,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

/** A value that was sealed with a key that no ring contains. */
const LOST = `k0.${Buffer.alloc(60).toString('base64url')}`;

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

test('events are signed only with the current webhook secret if the key of the former one is lost', async () => {
  const settings = { webhookUrl: 'https://example.org/hook' };
  const { project } = await newProject(running, { webhookSecret: 'one', settings });
  const { projectId } = project!;
  await running.projects.updateProject(patch(project, { webhookSecret: 'two' }));
  const { projects } = running.store.models;
  await projects.updateOne({ _id: projectId }, { $set: { 'webhook.former.secret': LOST } });
  const failed = refusedAs('internal');
  await assert.rejects(
    running.projects.getWebhookTarget({ projectId }),
    failed,
    'the operator may still restore a missing key',
  );

  await using without = await running.withKeys(running.secretsKey, ['k0']);
  assert.deepEqual((await without.projects.getWebhookTarget({ projectId })).secrets, ['two']);
  const { webhook } = (await projects.findById(projectId).lean())!;
  const swapped = { 'webhook.secret': LOST, 'webhook.former.secret': webhook.secret };
  await projects.updateOne({ _id: projectId }, { $set: swapped });
  await assert.rejects(
    without.projects.getWebhookTarget({ projectId }),
    failed,
    'the former secret alone signs nothing',
  );
});

test('events of a project without an address continue if the key of its webhook secret is lost', async () => {
  const { project } = await newProject(running, { webhookSecret: 'one' });
  const { projectId } = project!;
  await running.store.models.projects.updateOne({ _id: projectId }, { $set: { 'webhook.secret': LOST } });
  assert.deepEqual((await running.projects.getWebhookTarget({ projectId })).secrets, []);
});

test('a repeated creation with a lost answer names its project, and creates no other', async () => {
  const ownerId = await newOwner(running);
  const request = creation(ownerId, { idempotencyKey: 'lost' });
  const { projectId } = (await running.projects.createProject(request)).project!;
  await running.store.models.idempotency.updateOne({ userId: ownerId }, { $set: { answer: LOST } });
  await assert.rejects(
    running.projects.createProject(request),
    refusedAs('internal'),
    'the operator may still restore the key',
  );

  await using without = await running.withKeys(running.secretsKey, ['k0']);
  const named = new RegExp(`made the project ${projectId}, .* use a new key`);
  await assert.rejects(without.projects.createProject(request), refusedAs('unprocessable', named));
  await assert.rejects(without.projects.createProject(request), refusedAs('unprocessable', named));
  const made = async () => (await without.projects.listProjects({ ownerId })).summaries.map(each => each.projectId);
  assert.deepEqual(await made(), [projectId]);
  const { user } = await running.accounts.getUser({ userId: ownerId });
  assert.equal(user!.videosReserved, 1, 'the allowance is taken once');
  await without.projects.createProject({ ...request, idempotencyKey: 'new' });
  assert.equal((await made()).length, 2);
});
