import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRelay } from '@recording-request/events/outbox';
import { loadConfig } from '@recording-request/kit/config';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { fingerprintOf } from '@recording-request/kit-mongo/indexes';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { unroutable } from '@recording-request/testing/shard-watch';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { reminderTimes } from '../src/domain/reminders.ts';
import { linkClosed, personErased, projectCreated, projectUpdated } from '../src/messages.ts';
import { migrate } from '../src/migrate.ts';
import { CARRIERS } from '../src/store/outbox.ts';
import { schema } from '../src/store/schema-steps.ts';
import { sharding } from '../src/store/shard-keys.ts';
import { type OpenStore, openStore } from '../src/store/store.ts';
import { beginResponse } from '../src/workflows/begin-response.ts';
import {
  at,
  DAY_MS,
  fill,
  hashOf,
  ids,
  LINKS,
  link,
  linkId,
  OWNER,
  PROJECT,
  project,
  response,
} from './filled-database.ts';

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
  await fill(open);
  await chooseReminders(open);
});
after(async () => {
  await open.close();
  await stores[Symbol.asyncDispose]();
});

test('a change of the indexes needs a step of the schema, so that no service starts without them', () => {
  const { collections, steps } = schema;
  const now = fingerprintOf(collections);
  assert.equal(steps.findLast(({ indexes }) => indexes)?.indexes, now, `add a step with indexes: '${now}'`);
});

test('no query of a store reads more than it returns or changes, however much is stored', async () => {
  await using inventory = await takeInventory({
    env: environment.env,
    sharding,
    database: 'projects',
    stores: {
      users: open.users,
      tokens: open.tokens,
      projects: open.projects,
      links: open.links,
      linkPages: open.linkPages,
      people: open.people,
      claimables: open.claimables,
      responses: open.responses,
      idempotency: open.idempotency,
      transfers: open.transfers,
      sharedUses: open.sharedUses,
      erasures: open.erasures,
      linkErasures: open.linkErasures,
      sealed: open.sealed,
      hashes: open.hashes,
      codes: open.codes,
      reminders: open.reminders,
      logos: open.logos,
    },
    exceptions: {
      'projects.countOf': 'counts the projects of a user, for the operator',
      'projects.search': 'reads the names of an owner’s projects, from an index alone',
      'links.sums': 'sums the links of projects, from an index alone',
      'links.sumsFrom': 'the same for one project, after a change of its links',
      'reminders.dueOwners': 'reads the owners of up to 10,000 due projects, from an index alone',
      'erasures.tallyProject': 'counts what is to be erased',
      'erasures.closeProject': 'sums the links of a project once, when it ends',
    },
  });
  const { users, tokens, projects, links, claimables, responses, idempotency, transfers, sharedUses } =
    inventory.stores;
  const { erasures, linkErasures, sealed, hashes, codes, linkPages, people, logos } = inventory.stores;
  const now = new Date();

  await users.insert({ _id: 'new', name: 'New', videoLimit: 5, videosReserved: 0, createdAt: now });
  await users.find(OWNER);
  await users.list('user 3', 5);
  await users.setLimit('new', 6);
  await users.rename('new', 'Newer');
  await users.setBrand('new', { name: 'New', accent: '' });
  await users.setDisabled('new', now);
  await users.setDisabled('new', null);
  await users.isDisabled(OWNER);
  await users.close('new', now);
  await users.remove('new');
  await open.transaction(session => users.reserve(OWNER, 1, session));
  await open.transaction(session =>
    users.addSandbox(OWNER, { now, endsAt: new Date(now.getTime() + DAY_MS) }, session),
  );

  await tokens.insert(
    { _id: 'fresh', userId: OWNER, label: '', scopes: [], createdAt: now, expiresAt: null, revokedAt: null },
    hashOf('fresh'),
  );
  for (const secret of ['token 7', 'former 7', 'token 7', 'token 8', 'nobody’s'])
    await tokens.findByHash(hashOf(secret));
  await tokens.find('token 7');
  await tokens.used('token 7', now);
  await tokens.rotate('token 7', hashOf('rotated'), now);
  await tokens.rotate('token 7', hashOf('rotated again'), null);
  await tokens.listOf(OWNER);
  await tokens.revoke('token 7', now);
  await tokens.revokeAll(OWNER, now);
  await tokens.removeAll('user 60');

  await hashes.insertMany([{ hash: hashOf('x'), kind: 'token', id: 'x' }]);
  await hashes.find('token', hashOf('x'));
  await hashes.remove([hashOf('x')]);
  for (const response of ['a:b', 'a:b', 'a:c']) await codes.claim(PROJECT, '7K3F9QXA', response);
  assert.equal(await codes.find(PROJECT, '7K3F9QXA'), 'a:b');
  await hashes.removeCodes(PROJECT);

  for (const collection of ['projects', 'links', 'responses', 'idempotency'] as const) {
    const [text] = (await sealed.page(collection, '', 5)).texts;
    await sealed.ends(collection);
    if (text) await sealed.replace(collection, [{ text, sealed: text.sealed }]);
  }

  const made = { ...project(0), _id: uuidv7(), usesChange: undefined };
  await open.transaction(session =>
    projects.insert(made as never, { dashboardHash: hashOf('made'), created: projectCreated(made) }, session),
  );
  await projects.find(OWNER, PROJECT);
  await projects.nameOf(OWNER, PROJECT);
  await projects.setHasInvitations(PROJECT);
  await projects.countOf(OWNER);
  await projects.findForService(PROJECT);
  await projects.pageOf(OWNER, undefined, 5);
  await projects.pageOf(OWNER, ids[40], 5);
  assert.equal((await projects.search(OWNER, { words: ['STORIES', '8'], after: undefined }, 10)).length, 6);
  await projects.search(OWNER, { words: ['8'], after: ids[40] }, 10);
  const before = (await projects.find(OWNER, PROJECT))!;
  const renamed = { settings: { projectName: 'New' }, addressWasSet: true };
  const logo = { image: Buffer.from('logo'), mediaType: 'image/png' };
  // The same logo again adds no event, because the relay’s count must stay short.
  await open.models.projects.updateOne({ _id: PROJECT }, { $set: { logo } });
  assert.ok(await logos.set(before, logo, projectUpdated(before, ['brand'])));
  assert.deepEqual(await logos.find(OWNER, PROJECT), logo);
  assert.ok(await projects.update(before, renamed, projectUpdated(before, ['projectName'])));
  assert.equal(await projects.update(before, renamed, undefined), null, 'another request has changed the name');
  const secret = { settings: {}, secret: { secret: 'x', former: null }, addressWasSet: false };
  await projects.update(before, secret, undefined);
  for (const closedAt of [now, null]) await projects.setClosed(before, closedAt, projectUpdated(before, ['closed']));
  await projects.idsOf(OWNER, 10);
  const retained = { settings: {}, retentionDays: 7, addressWasSet: false };
  assert.equal((await projects.update(before, retained, undefined))?.retentionDays, 7);
  assert.equal((await projects.retentions('', 10)).length, 1);
  assert.equal((await projects.retentions(PROJECT, 10)).length, 0);
  const endsAt = at(0);
  const sandbox = { ...project(0), _id: uuidv7(), sandboxEndsAt: endsAt, sandboxDueAt: endsAt };
  await open.models.projects.collection.insertOne(sandbox as never);
  assert.deepEqual(await projects.firstSandboxEnd(), endsAt);
  assert.equal((await projects.takeEndedSandboxes(now, 4, DAY_MS)).length, 1);
  assert.equal((await projects.takeEndedSandboxes(now, 4, DAY_MS)).length, 0);
  await projects.setDashboardHash(OWNER, PROJECT, hashOf('another'));
  for (const secret of ['another', 'dashboard 7', 'dashboard 7']) await projects.findByDashboardHash(hashOf(secret));

  const another = { ...link(0, LINKS + 1), usesVersion: undefined };
  await open.transaction(session => links.insertMany([{ link: another as never, hash: hashOf('link') }], session));
  await links.find({ linkId: linkId(0, 7), projectId: PROJECT });
  for (const secret of ['link', linkId(0, 7), linkId(0, 7)]) await claimables.findByHash(hashOf(secret));
  await links.findShared(OWNER, PROJECT);
  assert.ok(await claimables.find({ linkId: linkId(0, 7), projectId: PROJECT }));
  const shared = await links.findSharedVersion(OWNER, PROJECT);
  for (const state of [undefined, 'active', 'expired', 'exhausted', 'disabled'] as const)
    for (const expired of [false, true])
      for (const after of [0, 300]) {
        const page = { ownerId: OWNER, projectId: PROJECT, filter: { state }, expired, after };
        const { links: found } = await linkPages.page(page, 8);
        const some = state !== (expired ? 'active' : 'expired');
        assert.equal(found.length, some ? 8 : 0, `${state}, expired: ${expired}`);
        assert.ok(found.every(({ position }) => position > after));
      }
  for (const personState of ['invited', 'opened', 'recording', 'sent', 'closed'] as const) {
    const page = { ownerId: OWNER, projectId: PROJECT, filter: { personState }, expired: false, after: 0 };
    await linkPages.page(page, 8);
  }
  const aPage = { ownerId: OWNER, projectId: PROJECT, expired: false, after: 0 };
  await linkPages.page({ ...aPage, filter: { personKeys: ['k2.7', 'k1.7'], state: 'active' } }, 8);
  await linkPages.page({ ...aPage, filter: { changedAfter: at(0) } }, 8);
  await open.transaction(async session => {
    await projects.lockPeople(OWNER, PROJECT, { invites: true }, session);
    const key = { linkId: linkId(0, 7), projectId: PROJECT };
    assert.ok(await people.find({ ...key, ownerId: OWNER }, session));
    await people.update(key, { sealedInvitation: null, personKey: 'k1.x', dueAt: now }, session);
  });
  assert.equal((await people.linksOf(PROJECT, ['k1.x', 'k1.8', 'k2.8'])).length, 2);
  assert.equal((await people.sessionsOf(linkId(0, 0), ['k1.8'], 500)).length, 10);
  assert.equal(await people.lastPosition(PROJECT), LINKS + 1);
  assert.equal((await people.invitationsOf(PROJECT, [linkId(0, 8), linkId(0, 9)])).length, 2);
  assert.equal((await people.referencesOf(linkId(0, 0), [response(0, 2)._id])).length, 1);
  assert.ok(await people.hasReference(PROJECT, response(0, 2)._id));
  assert.ok(await people.forgetReference(PROJECT, response(0, 2)._id));
  await people.forget(
    { linkId: linkId(0, 9), projectId: PROJECT },
    personErased({ projectId: PROJECT, ownerId: OWNER, linkId: linkId(0, 9) }),
  );
  await links.disable(
    { ownerId: OWNER, projectId: PROJECT, linkId: linkId(0, 8) },
    linkClosed({ _id: linkId(0, 8), projectId: PROJECT, ownerId: OWNER }),
  );
  await links.update({ ownerId: OWNER, projectId: PROJECT, linkId: linkId(0, 8) }, { disabled: true });
  for (const projectId of [PROJECT, PROJECT, '']) await links.setOpened({ linkId: linkId(0, 9), projectId }, now);
  await links.sums(OWNER, [PROJECT, ids[2]!]);
  await remindSome(inventory.stores);
  await links.sumsFrom(OWNER, PROJECT, (await projects.findWithLinks(OWNER, PROJECT))!);

  await responses.find(response(0, 5)._id);
  await responses.findWithTranscription(response(0, 5)._id);
  await responses.findSolo(linkId(0, 5));
  await responses.prolong(response(0, 5)._id, now);
  await responses.emptyClaims(now, 100);
  const transfer = () => transfers.make('begin', open.clock.now());
  for (const index of [2_000, 2_002]) {
    const begun = { ...response(0, index), use: 'claiming', hasBytes: false, transfer: transfer() };
    assert.ok(await responses.insert(begun as never));
    assert.equal(await transfers.execute(begun as never), 'applied');
    await transfers.settled(begun._id);
  }
  const expected = { use: 'held', answers: 0 } as const;
  const release = transfers.make('release', open.clock.now());
  const given = await responses.beginTransfer(response(0, 2_000)._id, expected, { use: 'released' }, release);
  await transfers.execute(given!);
  // Transfers that a dead process left.
  const dead = { holder: transfer().holder, kind: 'begin', at: at(0), leaseUntil: at(0) };
  for (const index of [3_001, 3_003]) {
    const left = { ...response(0, index), linkId: linkId(1, index - 3_000 + 200), use: 'claiming' };
    const carried = { ...left, transfer: { ...dead, id: transfer().id } };
    await open.models.responses.collection.insertOne(carried as never);
  }
  assert.equal(await transfers.sweep(now), 2);
  await transfers.stop();

  for (const key of ['a new one', 'abandoned', 'a new one'])
    await open.withSession(async session => {
      const attempt = await idempotency.begin({ userId: OWNER, key, bodyHash: 'y' }, session);
      if (attempt.kind === 'replay') return;
      if (key === 'abandoned') await inventory.judge('attempt.abandon', () => attempt.abandon());
      else
        await open.transact(session, () => inventory.judge('attempt.finish', () => attempt.finish('z', PROJECT)), {});
    });

  assert.equal(await sharedUses.change(shared!, 900), 'taken');
  await open.models.projects.updateOne({ _id: PROJECT }, { $set: { usesChange: { from: 900, to: 950, version: 2 } } });
  await sharedUses.sweep();

  assert.equal((await open.outbox.unpublished()).documents > 3, true);
  await inventory.judge('the relay', relayOnce);

  const erased = { ownerId: OWNER, projectId: PROJECT, linkId: linkId(0, 11) };
  assert.ok(await linkErasures.findById(erased.linkId));
  const about = linkClosed({ _id: erased.linkId, projectId: PROJECT, ownerId: OWNER });
  assert.ok(await linkErasures.close(erased, { always: [about], ifOpen: [about] }));
  assert.equal(await linkErasures.close(erased, { always: [about], ifOpen: [about] }), null);
  for (const each of await linkErasures.responsesOf(erased.linkId)) await codes.release(PROJECT, ['CODE'], each);
  await hashes.removeOf([], 'none');
  await linkErasures.removeResponses(erased.linkId);
  await erasures.find('project', 'erased 1');
  await erasures.tallyProject(PROJECT);
  assert.equal((await erasures.due(now)).length, 2);
  await erasures.settle('erased 1');
  assert.ok((await erasures.closeProject(PROJECT, now)) !== null);
  const removed = await erasures.removeProject({ _id: PROJECT, ownerId: OWNER });
  assert.equal(removed.links, LINKS + 1);
  await erasures.removeUser('user 50', now);
  await erasures.removeUserRecords('user 51');

  assert.equal(inventory.wasteful().join('\n'), '', 'the cost of a query grows with the number of records');
  assert.deepEqual(inventory.uncalled(), [], 'this test covers every method of the stores');
  assert.deepEqual(inventory.unneeded(), [], 'exceptions are needed');
  const across = inventory.acrossShards();
  assert.deepEqual(across, Object.keys(sharding.acrossShards).sort(), 'each other command carries its shard key');
  assert.deepEqual(unroutable(across), [], 'no command that changes one document queries every shard');
});

const REMIND = { afterDays: [3], beforeDueHours: [24] };

/** Chooses reminders for all projects, and gives a few links a deadline. */
async function chooseReminders({ models }: OpenStore): Promise<void> {
  const reminders = { a3: { since: at(0), position: 0 }, b24: { since: at(0), position: 0 } };
  const chosen = { remindAt: at(0), reminders, 'settings.remind': REMIND };
  await models.projects.collection.updateMany({}, { $set: chosen } as never);
  const due = { dueAt: new Date(Date.now() + 3 * DAY_MS) };
  await models.links.collection.updateMany({ projectId: PROJECT, position: { $in: [10, 11] } }, { $set: due });
}

/** Sends the reminders of a few links of a project. */
async function remindSome({ reminders, links }: Pick<OpenStore, 'reminders' | 'links'>): Promise<void> {
  const owners = await reminders.dueOwners(open.clock.now());
  assert.deepEqual(
    owners.map(({ projectIds }) => projectIds.length),
    [10, 10],
  );
  const project = (await open.projects.findForService(PROJECT))!;
  for (const time of reminderTimes(REMIND)) {
    const next = (await reminders.nextTime(project, time))!;
    const soon = () => new Date(next.getTime() + 10);
    assert.ok((await reminders.remindBatch(project, time, soon)) > 0);
  }
  const [shared, plain] = [linkId(0, 0), linkId(0, 12)];
  const now = () => open.clock.now();
  const reminded = await open.transaction(session =>
    reminders.remindNow(OWNER, PROJECT, [shared, plain], now, session),
  );
  assert.equal(reminded.get(shared), 'shared');
  assert.ok(reminded.get(plain));
  // Enables a link, because a disabled one adds an event, and the relay’s count must stay short.
  await open.models.links.updateOne({ _id: plain, projectId: PROJECT }, { $set: { disabled: true } });
  const enabling = { ownerId: OWNER, projectId: PROJECT, linkIds: [plain], disabled: false };
  await open.transaction(session => links.setDisabled(enabling, linkClosed, session));
  assert.ok(await reminders.stop({ linkId: linkId(0, 12), projectId: PROJECT }));
  await reminders.lookAgain(project, at(2 * DAY_MS));
  await reminders.lookAtOwner(OWNER, at(DAY_MS));
}

/** Publishes the events in the documents. */
async function relayOnce(): Promise<void> {
  const kafka = {
    publishRecords: async (records: unknown[]) => records.map(() => undefined),
    partitionOf: () => 'one',
    setAside: async () => {},
  };
  const log = createLogger('test', 'silent');
  const relay = startRelay({
    ...{ connection: open.connection, name: 'projects', collections: CARRIERS },
    ...{ kafka: kafka as never, log },
  });
  await until('every event is published', async () => (await open.outbox.unpublished()).documents === 0);
  // Not awaited, because the change streams end earlier, with the connection.
  void relay.stop().catch(() => {});
}

test('the figures of a project cost the same with 10 links as with hundreds, and show each change at once', async () => {
  const small = { ...project(4), _id: uuidv7() };
  const tenLinks = Array.from({ length: 11 }, (_, position) => ({
    ...link(4, position),
    ...{ _id: uuidv7(), projectId: small._id, hash: hashOf(uuidv7()) },
  }));
  await open.models.links.collection.insertMany(tenLinks as never);
  const large = ids[2]!;
  const { links, projects } = open;
  await open.models.projects.collection.insertOne(small as never);
  const sumsOf = async (id: string) => links.sumsFrom(OWNER, id, (await projects.findWithLinks(OWNER, id))!);
  const uniqueOf = async (id: string) => (await sumsOf(id)).unique;
  assert.deepEqual(await uniqueOf(small._id), { _id: small._id, links: 10, capacity: 10, used: 1, open: 8 });
  assert.equal((await uniqueOf(large))?.links, LINKS - 1);

  await using inventory = await takeInventory({
    env: environment.env,
    database: 'projects',
    stores: {},
    exceptions: {},
  });
  // An index look-up may also read the entry after the match.
  const costs = [];
  for (const project of [small._id, large]) costs.push(await inventory.costOf(() => sumsOf(project)));
  assert.deepEqual(
    costs.map(({ commands }) => commands),
    [1, 1],
  );
  const [few, many] = costs.map(({ examined }) => examined);
  assert.ok(many! <= few! + 4, `10 links: ${few} examined, ${LINKS}: ${many}`);
  const { examined: list } = await inventory.costOf(() => links.sums(OWNER, [small._id, large]));
  assert.ok(list <= few! + many! + 4, `both projects: ${list} examined`);

  await links.update({ ownerId: OWNER, projectId: small._id, linkId: tenLinks[5]!._id }, { disabled: true });
  assert.equal((await uniqueOf(small._id))?.open, 7);
  await links.update({ ownerId: OWNER, projectId: small._id, linkId: tenLinks[6]!._id }, { disabled: true });
  assert.equal((await uniqueOf(small._id))?.open, 6, 'also for two changes at nearly the same time');
  assert.equal((await links.sums('another owner', [small._id])).size, 0);
});

test('200 concurrent claims cost as few commands as a few sequential ones', async () => {
  const ofProject = { ...project(6), _id: uuidv7() };
  const shared = { ...link(6, 0), _id: uuidv7(), projectId: ofProject._id, hash: hashOf(uuidv7()), landed: 0 };
  await open.models.projects.collection.insertOne(ofProject as never);
  await open.models.links.collection.insertOne(shared as never);
  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'projects', stores: {}, exceptions: {} },
  });
  const config = { claimEmptyHoldSeconds: 1_800 };
  const begin = () => {
    const beginning = { linkId: shared._id, projectId: ofProject._id, sessionId: uuidv7(), termsAccepted: false };
    return beginResponse({ config, store: open, clock: open.clock } as never, beginning);
  };
  const costOf = async (claims: number) => {
    const { commands } = await inventory.costOf(async () => {
      await Promise.all(Array.from({ length: claims }, begin));
      await open.transfers.stop();
    });
    return commands;
  };
  // The commands of one claim: read the link with its project and owner; insert the response; change the link's
  // counters; two steps to settle; perhaps a read of the clock.
  const one = await costOf(1);
  assert.ok(one <= 9, `one claim: ${one} commands`);
  const many = await costOf(200);
  assert.ok(many <= 60, `200 claims: ${many} commands`);
  const stored = await open.models.links.findById(shared._id).lean();
  assert.deepEqual([stored?.claimed, stored?.applied.length], [201, 0]);
  assert.equal(await open.models.responses.countDocuments({ linkId: shared._id, use: 'held' }), 201);
});
