import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { createLease } from '@recording-request/kit-mongo/lease';
import { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import type { Connection } from 'mongoose';
import { migrate } from '../src/migrate.ts';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { eraseEndedSandboxes } from '../src/workflows/erasure/erase-sandboxes.ts';
import { row } from './project-of-clips.ts';

const environment = testEnvironment();
const stores = testStores(environment);
let models: Models;
let connection: Connection;
before(async () => {
  await migrate(environment.env, () => {});
  connection = await stores.database('submissions');
  models = openModels(connection);
});
after(() => stores[Symbol.asyncDispose]());

/** A process with ended sandboxes, which the projects service returns once per turn until they are erased. */
function processWith(sandboxes: { projectId: string; ownerId: string }[]) {
  const ended = new Map(sandboxes.map(each => [each.projectId, each]));
  const state = { steps: [] as string[], brokenStore: '', kafkaIsDown: false, taken: new Set<string>() };
  const context = {
    config: { eraseAgainSeconds: 3_600 },
    log: createLogger('test', 'silent'),
    erasures: createErasureStore(models),
    deadLetters: createDeadLetterStore(models),
    archives: { end: async () => 0 },
    objects: {
      purge: async (prefix: string) => {
        if (state.brokenStore && prefix.includes(state.brokenStore)) throw new Error('The store fails.');
        return { objects: 0, versions: 0, bytes: 0 };
      },
    },
    kafka: {
      publishRecords: async ([record]: { value: Buffer }[]) => {
        if (state.kafkaIsDown) return [new Error('Kafka does not take it.')];
        const { type, payload } = Event.decode(record!.value);
        assert.ok(payload?.$case === 'projectErased');
        state.steps.push(`${type} ${payload.value.projectId}`);
        return [undefined];
      },
    },
    projects: {
      takeEndedSandboxes: async ({ limit }: { limit: number }) => {
        const due = [...ended.values()].filter(({ projectId }) => !state.taken.has(projectId)).slice(0, limit);
        for (const { projectId } of due) state.taken.add(projectId);
        return { sandboxes: due };
      },
      eraseSandbox: async ({ projectId }: { projectId: string }) => {
        ended.delete(projectId);
        state.steps.push(`erased ${projectId}`);
        return {};
      },
      forgetReference: async () => ({ references: 0 }),
    },
    sandboxLease: createLease(connection, 'sandboxes', 60_000),
  };
  /**
   * Runs a turn after one minute, because the projects service does not return the same sandbox again within a minute.
   */
  const turn = async () => {
    state.taken.clear();
    await eraseEndedSandboxes(context as never);
  };
  return { ...state, state, ended, turn };
}

let next = 700_000;
async function sandboxOf(ownerId: string, clips: number) {
  const projectId = randomUUID();
  const rows = Array.from({ length: clips }, () => row(next++, { projectId, ownerId, sandbox: true }));
  if (clips > 0) await models.submissions.collection.insertMany(rows as never);
  return { projectId, ownerId };
}
const left = ({ projectId }: { projectId: string }) =>
  models.submissions.countDocuments({ projectId, ownerId: { $gt: '' } });

test('an ended sandbox loses its clips, then its events, and last its project', async () => {
  const [full, empty, other] = [await sandboxOf('one', 3), await sandboxOf('one', 0), await sandboxOf('one', 1)];
  const { turn, state, ended } = processWith([full, empty]);
  await turn();
  assert.deepEqual([await left(full), await left(other), ended.size], [0, 1, 0]);
  for (const { projectId } of [full, empty]) {
    const steps = state.steps.filter(step => step.endsWith(projectId));
    assert.deepEqual(steps, [`project.erased ${projectId}`, `erased ${projectId}`]);
  }
  assert.ok(await createErasureStore(models).findProject(full.projectId), 'it accepts no uploads any more');
});

test('a sandbox with many clips takes several turns, and does not delay others', async () => {
  const [large, small] = [await sandboxOf('one', 450), await sandboxOf('two', 1)];
  const { turn, ended } = processWith([large, small]);
  await turn();
  assert.deepEqual([await left(small), ended.has(small.projectId)], [0, false]);
  assert.ok((await left(large)) > 0);
  for (let turns = 0; turns < 3; turns++) await turn();
  assert.deepEqual([await left(large), ended.size], [0, 0]);
});

test('a failing store or Kafka leaves a sandbox to a later turn, and the others are erased', async () => {
  const [broken, fine] = [await sandboxOf('one', 2), await sandboxOf('two', 1)];
  const { turn, state, ended } = processWith([broken, fine]);
  state.brokenStore = broken.projectId;
  await turn();
  assert.deepEqual([...ended.keys()], [broken.projectId]);
  state.brokenStore = '';
  state.kafkaIsDown = true;
  await turn();
  assert.deepEqual([...ended.keys()], [broken.projectId], 'its events are not erased yet');
  state.kafkaIsDown = false;
  await turn();
  assert.equal(ended.size, 0);
});

test('one process at a time erases sandboxes', async () => {
  const sandbox = await sandboxOf('one', 1);
  const { turn } = processWith([sandbox]);
  const rival = createLease(connection, 'sandboxes', 60_000);
  assert.ok(await rival.hold());
  await turn();
  assert.equal(await left(sandbox), 1);
  await rival.release();
  await turn();
  assert.equal(await left(sandbox), 0);
});
