import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { createLease } from '@recording-request/kit-mongo/lease';
import type { ListRetentionsRequest, Retention } from '@recording-request/proto/projects/v1/projects';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import type { Connection } from 'mongoose';
import { migrate } from '../src/migrate.ts';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { expireInProjects } from '../src/workflows/erasure/expire-in-projects.ts';
import { row } from './project-of-clips.ts';

const environment = testEnvironment();
const stores = testStores(environment);
const DAY_MS = 86_400_000;
let models: Models;
let connection: Connection;
before(async () => {
  await migrate(environment.env, () => {});
  connection = await stores.database('submissions');
  models = openModels(connection);
});
after(() => stores[Symbol.asyncDispose]());

/** Returns a process that erases by these retentions. `broken`: a project whose objects the store cannot remove. */
function sweeperOf(retentions: Retention[], broken?: string) {
  const sorted = retentions.sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
  const context = {
    config: { eraseAgainSeconds: 3_600 },
    log: createLogger('test', 'silent'),
    erasures: createErasureStore(models),
    deadLetters: createDeadLetterStore(models),
    archives: { end: async () => 0 },
    objects: {
      purge: async (prefix: string) => {
        if (broken && prefix.includes(broken)) throw new Error('The store cannot remove an object.');
        return { objects: 0, versions: 0, bytes: 0 };
      },
    },
    projects: {
      listRetentions: async ({ afterProjectId, pageSize }: ListRetentionsRequest) => ({
        retentions: sorted.filter(({ projectId }) => projectId > afterProjectId).slice(0, pageSize),
      }),
      forgetReference: async () => ({ references: 0 }),
    },
    projectRetention: { lease: createLease(connection, 'project retention', 60_000), after: '' },
  };
  return () => expireInProjects(context as never);
}

let next = 500_000;
async function clipsOf(ownerId: string, ...ages: number[]) {
  const projectId = randomUUID();
  const clips = ages.map(age => row(next++, { projectId, ownerId, createdAt: new Date(Date.now() - age * DAY_MS) }));
  await models.submissions.collection.insertMany(clips as never);
  return { projectId, ownerId };
}
const left = ({ projectId }: { projectId: string }) =>
  models.submissions.countDocuments({ projectId, ownerId: { $gt: '' } });

test('clips past the retention of their project are erased; a changed retention applies to landed clips', async () => {
  const kept = await clipsOf('one', 400);
  const project = await clipsOf('one', 0.9, 1.1, 2.9, 3.1, 400);
  await sweeperOf([{ ...project, days: 3 }])();
  assert.equal(await left(project), 3);
  await sweeperOf([{ ...project, days: 1 }])();
  assert.equal(await left(project), 1);
  assert.equal(await left(kept), 1, 'another project has no retention of its own');
  const tombstone = await models.submissions.findOne({ projectId: project.projectId, erasedAt: { $type: 'date' } });
  assert.equal((tombstone?.outbox as unknown[] | undefined)?.length, 2, 'the events of an erasure are published');
});

test('many old clips of one owner, and a failing store, do not delay another owner', async () => {
  const large = await clipsOf('large', ...Array(450).fill(10));
  const others = await Promise.all(Array.from({ length: 60 }, (_, index) => clipsOf(`other ${index}`, 10)));
  const retentions = [large, ...others].map(each => ({ ...each, days: 1 }));
  const turn = sweeperOf(retentions, others[30]!.projectId);
  const leftAll = async () => (await Promise.all(others.map(left))).reduce((sum, each) => sum + each, 0);
  for (let turns = 0; turns < 3 && (await leftAll()) > 0; turns++) await turn();
  assert.equal(await leftAll(), 0, 'each of the others is served within a few turns');
  assert.ok((await left(large)) > 0, 'one turn has a limit');
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.equal(await left(large), 0);
});

test('one process at a time erases by retention', async () => {
  const project = await clipsOf('one', 10);
  const rival = createLease(connection, 'project retention', 60_000);
  assert.ok(await rival.hold());
  await sweeperOf([{ ...project, days: 1 }])();
  assert.equal(await left(project), 1);
  await rival.release();
  await sweeperOf([{ ...project, days: 1 }])();
  assert.equal(await left(project), 0);
});
