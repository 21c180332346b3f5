import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { testStores } from '@recording-request/testing/test-stores';
import { migrate } from '../src/migrate.ts';
import type { LinkFilter } from '../src/store/link-pages.ts';
import { type OpenStore, openStore } from '../src/store/store.ts';
import { DAY_MS, hashOf, link, OWNER, project } from './filled-database.ts';

const environment = testEnvironment();
const stores = testStores(environment);
let open: OpenStore;
before(async () => {
  await migrate(environment.env, () => {});
  open = await openStore({
    mongo: loadConfig(environment.env, mongoVariables),
    idempotency: { keepMs: DAY_MS, leaseMs: 100 },
    transfers: { leaseMs: 1_000, settleDelayMs: 1, log: createLogger('test', 'silent') },
  });
});
after(async () => {
  await open.close();
  await stores[Symbol.asyncDispose]();
});

// 9 of 10 people are in the first state, so a query that skipped them would read thousands of entries.
const USES = [
  {},
  { opened: true, openedAt: new Date(0) },
  { claimed: 1 },
  { landed: 1, complete: true, completedAt: new Date(0) },
  { disabled: true },
];

/** Inserts a project's shared link and unique links. The last ten changed. */
async function linksOf(count: number): Promise<string> {
  const projectId = uuidv7();
  const documents = Array.from({ length: count + 1 }, (_, position) => ({
    ...link(0, position),
    ...{
      _id: `${projectId} ${position}`,
      projectId,
      hash: hashOf(`${projectId} ${position}`),
      landed: 0,
      disabled: false,
    },
    ...(position === 0 ? {} : { personKey: `k1.${position}` }),
    ...(position > 0 && (count - position) % 10 === 0 ? USES[((count - position) / 10) % USES.length] : {}),
    changedAt: new Date(position > count - 10 ? 2_000 : 1_000),
  }));
  await open.models.links.collection.insertMany(documents as never);
  return projectId;
}

test('a list of people reads as few index entries with 10,000 links as with 60', async () => {
  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'projects', stores: {}, exceptions: {} },
  });
  const projects = [
    { projectId: await linksOf(60), middle: 30 },
    { projectId: await linksOf(10_000), middle: 5_000 },
  ];
  const filters: LinkFilter[] = [
    {},
    ...(['invited', 'opened', 'recording', 'sent', 'closed'] as const).map(personState => ({ personState })),
    ...(['active', 'exhausted', 'disabled'] as const).map(state => ({ state })),
    { complete: true },
    { complete: false },
    { state: 'exhausted', complete: false },
    { personKeys: ['k2.7', 'k1.7'] },
    { changedAfter: new Date(1_500) },
  ];
  for (const filter of filters)
    for (const expired of [false, true])
      for (const isFirst of [true, false]) {
        const costs = [];
        for (const { projectId, middle } of projects) {
          const page = { ownerId: OWNER, projectId, filter, expired, after: isFirst ? 0 : middle };
          costs.push((await inventory.costOf(() => open.linkPages.page(page, 1))).examined);
        }
        const [few, many] = costs as [number, number];
        const name = `${JSON.stringify(filter)}, expired: ${expired}: ${few} with 60 links, ${many} with 10,000`;
        assert.ok(many <= few + 4 && many <= 60, name);
      }
});

test('a page of projects reads as much with 2,000 projects as with 60, and a search for a frequent word too', async () => {
  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'projects', stores: {}, exceptions: {} },
  });
  const costs: number[][] = [];
  for (const count of [60, 2_000]) {
    const ownerId = uuidv7();
    const ids = Array.from({ length: count }, () => uuidv7());
    const documents = ids.map(_id => ({ ...project(0), _id, ownerId, dashboardHash: hashOf(_id) }));
    await open.models.projects.collection.insertMany(documents as never);
    const { projects } = open;
    const cost = async (work: () => Promise<unknown[]>) => {
      const { examined } = await inventory.costOf(async () => assert.equal((await work()).length, 20));
      return examined;
    };
    costs.push([
      await cost(() => projects.pageOf(ownerId, undefined, 20)),
      await cost(() => projects.pageOf(ownerId, ids[count / 2], 20)),
      await cost(() => projects.search(ownerId, { words: ['stories'], after: undefined }, 20)),
    ]);
  }
  const [few, many] = costs as [number[], number[]];
  for (const [index, examined] of many.entries())
    assert.ok(examined <= few[index]! + 4 && examined <= 50, `${few} with 60 projects, ${many} with 2,000`);
});
