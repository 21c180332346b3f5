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
import { DAY_MS, hashOf, link, OWNER } from './filled-database.ts';

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
  const projects = [await linksOf(60), await linksOf(10_000)] as const;
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
    for (const expired of [false, true]) {
      const costs = [];
      for (const projectId of projects) {
        const page = { ownerId: OWNER, projectId, filter, expired, after: 0 };
        costs.push((await inventory.costOf(() => open.linkPages.page(page, 1))).examined);
      }
      const [few, many] = costs as [number, number];
      const name = `${JSON.stringify(filter)}, expired: ${expired}: ${few} with 60 links, ${many} with 10,000`;
      assert.ok(many <= few + 4 && many <= 60, name);
    }
});
