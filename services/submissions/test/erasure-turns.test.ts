import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { migrate } from '../src/migrate.ts';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore, type ErasureStore } from '../src/store/erasures.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { resumeProjectErasures } from '../src/workflows/erasure/erase-project.ts';
import { eraseIfProjectIs } from '../src/workflows/erasure/erased-projects.ts';
import { row } from './project-of-clips.ts';

const environment = testEnvironment();
const stores = testStores(environment);
let models: Models;
let erasures: ErasureStore;
before(async () => {
  await migrate(environment.env, () => {});
  models = openModels(await stores.database('submissions'));
  erasures = createErasureStore(models);
});
after(() => stores[Symbol.asyncDispose]());

const NOTHING = { objects: 0, versions: 0, bytes: 0 };

/** Returns the context of a process whose store fails for the project `broken`. */
const processWith = (broken = 'no project') => ({
  config: { eraseAgainSeconds: 3_600 },
  log: createLogger('test', 'silent'),
  erasures,
  deadLetters: createDeadLetterStore(models),
  archives: { end: async () => 0 },
  objects: {
    purge: async (prefix: string) => {
      if (prefix.includes(broken)) throw new Error('The store fails.');
      return NOTHING;
    },
  },
  kafka: { publishRecords: async () => [undefined], longestRetention: async () => 1_000 },
  projects: {
    eraseOwnedProject: async () => ({ counts: undefined }),
    forgetReference: async () => ({ references: 0, people: 0, linkId: '' }),
  },
});

test('projects whose late results are due do not delay the erasure of another owner', async () => {
  const ids = Array.from({ length: 30 }, () => randomUUID());
  for (const id of ids) await erasures.closeProject(id, -60_000);
  const waiting = { projectId: randomUUID(), ownerId: 'another' };
  await erasures.begin(waiting, -1_000);
  await resumeProjectErasures(processWith(ids[3]) as never);
  assert.ok((await erasures.findProject(waiting.projectId))!.owned!.doneAt, 'one turn reaches the last project');
});

test('a clip that lands while its owner erases the project is counted', async () => {
  const owned = { projectId: randomUUID(), ownerId: 'one' };
  const clip = row(900_001, owned);
  await models.submissions.collection.insertOne(clip as never);
  await erasures.begin(owned, 60_000);
  const { _id: id } = clip as unknown as { _id: string };
  assert.equal(
    await eraseIfProjectIs(processWith() as never, { linkId: randomUUID(), id, projectId: owned.projectId }),
    true,
  );
  assert.equal((await erasures.findProject(owned.projectId))!.owned!.removed.submissions, 1);
});
