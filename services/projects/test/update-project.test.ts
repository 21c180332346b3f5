import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { StartError } from '@recording-request/kit/config';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import {
  begin,
  creation,
  newOwner,
  newProject,
  outcomes,
  patch,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const shared = (uses: number) => ({ sharedLinkEnabled: true, sharedLinkMaxUses: uses });
const DAY = 86_400_000;

test('only the given fields change, and text that looks like a MongoDB expression stays text', async () => {
  const { project } = await newProject(running, { settings: { termsText: 'Terms', interviewQuestions: ['Q?'] } });
  const { project: after } = await running.projects.updateProject(
    patch(project, { projectName: ' $settings.termsText ', noteEnabled: true, interviewQuestions: [] }),
  );
  assert.deepEqual(after, {
    ...project,
    settings: { ...project!.settings!, projectName: '$settings.termsText', noteEnabled: true, interviewQuestions: [] },
  });
  assert.deepEqual((await running.projects.updateProject(patch(project, {}))).project, after);
  await assert.rejects(running.projects.updateProject(patch(project, { maxDurationSec: 0 })), refusedAs('invalid'));
});

test('the expiry window starts at the update, and the links follow', async () => {
  const { project } = await newProject(running);
  const set = async (expiry: Parameters<typeof running.projects.updateProject>[0]['expiry']) =>
    (await running.projects.updateProject(patch(project, { expiry }))).project!.expiresAt;
  const isIn = (at: Date | undefined, ms: number) => Math.abs(at!.getTime() - Date.now() - ms) < 60_000;

  assert.ok(isIn(await set({ $case: 'expiresInSeconds', value: 2 * 86_400 }), 2 * DAY));
  assert.equal(await set({ $case: 'neverExpire', value: true }), undefined);
  assert.ok(isIn(await set({ $case: 'neverExpire', value: false }), 30 * DAY));
  await running.store.models.projects.updateOne({ _id: project!.projectId }, { expiresAt: new Date() });
  const { uniqueLinks } = await running.projects.listLinks(patch(project, {}));
  assert.equal(uniqueLinks[0]?.status, LinkStatus.LINK_STATUS_EXPIRED);
  assert.equal(uniqueLinks[0]?.remainingUses, 1);
  const { project: expired } = await running.projects.getProject(patch(project, {}));
  assert.equal(expired?.linkStats?.responseSlotsRemaining, 0);
  assert.equal(expired?.linkStats?.totalResponseCapacity, 1);
});

test('sharedLinkMaxUses reserves and releases the difference', async () => {
  const ownerId = await newOwner(running, 30);
  const { project } = await newProject(running, { settings: shared(10) }, ownerId);
  const reserved = async () => (await running.accounts.getUser({ userId: ownerId })).user?.videosReserved;
  const setUses = (uses: number) => running.projects.updateProject(patch(project, { sharedLinkMaxUses: uses }));

  assert.equal((await setUses(29)).project?.settings?.sharedLinkMaxUses, 29);
  assert.equal(await reserved(), 30);
  await assert.rejects(setUses(31), refusedAs('forbidden', /2 videos.*0 videos/));
  assert.equal((await setUses(5)).project?.linkStats?.sharedUsesRemaining, 5);
  assert.equal(await reserved(), 6);
});

test('sharedLinkMaxUses below the taken uses, or without a shared link, is refused', async () => {
  const made = await newProject(running, { settings: shared(10) });
  for (let taken = 0; taken < 3; taken++) await begin(running, made.sharedLink!.linkId);
  const setUses = (uses: number) => running.projects.updateProject(patch(made.project, { sharedLinkMaxUses: uses }));
  await assert.rejects(setUses(2), refusedAs('invalid', /sharedLinkMaxUses.*3/));
  assert.equal((await setUses(3)).project?.linkStats?.sharedUsesRemaining, 0);

  const { project } = await newProject(running);
  const update = running.projects.updateProject(patch(project, { sharedLinkMaxUses: 5 }));
  await assert.rejects(update, refusedAs('invalid', /no shared link/));
});

test('the sweeper or the next change finishes a change of the uses that a crash interrupted', async () => {
  const ownerId = await newOwner(running, 100);
  const { users, links, sharedUses, models } = running.store;
  const reserved = async () => (await users.find(ownerId))?.videosReserved;
  for (const to of [20, 5]) {
    const { project } = await newProject(running, { settings: shared(10) }, ownerId);
    const { projectId } = project!;
    const before = (await reserved())!;
    const usesChange = { from: 10, to, version: 1 };
    // Performs only step 1 of `change`, like a process that died after it.
    await models.projects.updateOne({ _id: projectId }, { usesChange });
    if (to > 10) await models.users.updateOne({ _id: ownerId }, { $inc: { videosReserved: to - 10 } });
    await Promise.all([sharedUses.sweep(), sharedUses.sweep()]);
    assert.equal((await links.findShared(ownerId, projectId))?.maxUses, to);
    assert.equal(await reserved(), before + to - 10);

    await models.projects.updateOne({ _id: projectId }, { usesChange: { from: to, to: 8, version: 2 } });
    if (to < 8) await models.users.updateOne({ _id: ownerId }, { $inc: { videosReserved: 8 - to } });
    const { project: after } = await running.projects.updateProject(patch(project, { sharedLinkMaxUses: 9 }));
    assert.equal(after?.settings?.sharedLinkMaxUses, 9);
    assert.equal(await reserved(), before + 9 - 10);
    assert.equal((await links.findShared(ownerId, projectId))?.maxUses, 9);
  }
});

test('ten concurrent changes of the uses end with a matching reservation', async () => {
  const ownerId = await newOwner(running);
  const { project } = await newProject(running, { settings: shared(10) }, ownerId);
  const updates = Array.from({ length: 10 }, (_, index) =>
    running.projects.updateProject(patch(project, { sharedLinkMaxUses: 5 + index })),
  );
  await outcomes(updates);
  await running.store.sharedUses.sweep();
  const link = await running.store.links.findShared(ownerId, project!.projectId);
  const { project: after } = await running.projects.getProject(project!);
  assert.equal(after?.settings?.sharedLinkMaxUses, link?.maxUses);
  assert.equal((await running.store.users.find(ownerId))?.videosReserved, link!.maxUses + 1);
});

test('lowering the uses while contributors claim never leaves more claimed than allowed', async () => {
  const made = await newProject(running, { settings: shared(60) });
  const linkId = made.sharedLink!.linkId;
  const update = running.projects.updateProject(patch(made.project, { sharedLinkMaxUses: 20 }));
  const [counts, changed] = await Promise.all([
    outcomes(Array.from({ length: 60 }, () => begin(running, linkId))),
    update.then(
      () => true,
      () => false,
    ),
  ]);
  const link = await running.store.links.find({ linkId, projectId: made.project!.projectId });
  assert.equal(link?.maxUses, changed ? 20 : 60);
  assert.ok(link!.claimed <= link!.maxUses);
  assert.equal(link?.claimed, counts.ok);
  assert.equal((counts.ok ?? 0) + (counts.conflict ?? 0), 60, JSON.stringify(counts));
});

test('a new webhook secret keeps the former one for a day; the same one again changes nothing', async () => {
  const { project } = await newProject(running, {
    webhookSecret: 'one',
    settings: { webhookUrl: 'https://example.org/hook' },
  });
  const target = () => running.projects.getWebhookTarget({ projectId: project!.projectId });
  const setSecret = (webhookSecret: string) => running.projects.updateProject(patch(project, { webhookSecret }));

  assert.deepEqual([project!.webhookSigned, (await target()).secrets], [true, ['one']]);
  await setSecret('two');
  await setSecret('two');
  assert.deepEqual((await target()).secrets, ['two', 'one']);
  await assert.rejects(setSecret('whsec_not base64!'), refusedAs('invalid', /webhookSecret .* base64/));
  assert.deepEqual((await target()).secrets, ['two', 'one'], 'a refusal changes nothing');
  // A minute in the past, because the service compares with the database's clock.
  const past = new Date(Date.now() - 60_000);
  await running.store.models.projects.updateOne({ _id: project!.projectId }, { 'webhook.former.until': past });
  assert.deepEqual((await target()).secrets, ['two']);
  const { project: cleared } = await setSecret('');
  assert.deepEqual([cleared?.webhookSigned, (await target()).secrets], [false, []]);
});

test('the events that a project requests are stored, and the webhooks service reads them', async () => {
  const { project } = await newProject(running, { settings: { webhookEvents: ['response.completed'] } });
  const { projectId } = project!;
  const events = async () => (await running.projects.getWebhookTarget({ projectId })).events;
  assert.deepEqual(await events(), ['response.completed']);
  await running.projects.updateProject(patch(project, { noteEnabled: true }));
  const two = ['submission.erased', 'submission.media.failed'];
  const { project: after } = await running.projects.updateProject(patch(project, { webhookEvents: two }));
  assert.deepEqual([after?.settings?.webhookEvents, await events()], [two, two]);
  await assert.rejects(
    running.projects.updateProject(patch(project, { webhookEvents: ['response.complete'] })),
    refusedAs(
      'invalid',
      /webhookEvents\[0\] must be one of submission.media.completed, .*webhook.failing, .*, not "response.complete"/,
    ),
  );
  await running.projects.updateProject(patch(project, { webhookEvents: [] }));
  assert.deepEqual(await events(), []);
});

test('the target version changes whenever the address is set, also to the same value', async () => {
  const { project } = await newProject(running);
  const version = async () =>
    (await running.projects.getWebhookTarget({ projectId: project!.projectId })).targetVersion;
  const seen = [await version()];
  for (const change of [
    { noteEnabled: true },
    { webhookUrl: 'https://example.org/' },
    { webhookUrl: 'https://example.org/' },
  ]) {
    await running.projects.updateProject(patch(project, change));
    seen.push(await version());
  }
  assert.deepEqual(
    seen.map(one => one - seen[0]!),
    [0, 0, 1, 2],
  );
});

test('reseal moves stored secrets to a new key while they change, until the old key is not needed', async () => {
  const { secretsKey } = running;
  const newKey = `k2:${randomBytes(32).toString('base64')}`;
  const secrets = Array.from({ length: 6 }, () => `whsec_${randomBytes(24).toString('base64')}`);
  const settings = { webhookUrl: 'https://example.org/hook' };
  const order = { settings, webhookSecret: secrets[0]!, idempotencyKey: randomUUID(), bodyHash: randomBytes(32) };
  const ownerId = await newOwner(running);
  const made = await newProject(running, { ...order, count: 600 }, ownerId);
  await assert.rejects(running.withKeys(newKey), (error: Error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /is sealed with the key "k1", which SECRETS_KEY does not hold: put it back/);
    assert.ok(!error.message.includes(newKey.split(':')[1]!), 'the sentence has no key');
    return true;
  });
  const sameName = `k1:${newKey.split(':')[1]}`;
  await assert.rejects(
    running.withKeys(sameName),
    /is sealed with another key "k1" than the one that SECRETS_KEY holds: put that one back, and give a new key a name/,
  );
  await (await running.withKeys(newKey, ['k1']))[Symbol.asyncDispose]();
  await using both = await running.withKeys(`${newKey},${secretsKey}`);
  const pass = async (dryRun = false) => {
    const sum = { resealed: 0, changedMeanwhile: 0, unopened: [] as string[], batches: 0 };
    for (let cursor = ''; ; ) {
      const batch = await both.operator.reseal({ cursor, dryRun });
      sum.resealed += batch.resealed;
      sum.changedMeanwhile += batch.changedMeanwhile;
      sum.unopened.push(...batch.unopened.map(({ record, keyId }) => `${record}, ${keyId}`));
      sum.batches += 1;
      assert.deepEqual([batch.keyId, batch.otherKeyIds], ['k2', ['k1']]);
      cursor = batch.nextCursor;
      if (cursor === '') return sum;
    }
  };
  assert.ok((await pass(true)).resealed > 600, 'it counts before it changes anything');
  let changing = true;
  const changes = (async () => {
    for (const webhookSecret of secrets) await both.projects.updateProject(patch(made.project, { webhookSecret }));
    changing = false;
  })();
  while (changing) assert.deepEqual((await pass()).unopened, []);
  await changes;
  assert.ok((await pass()).batches > 3, 'a bounded number of records in a call');
  assert.deepEqual((await pass()).resealed, 0, 'texts sealed with the first key stay unchanged');

  await using alone = await running.withKeys(newKey);
  const { webhookTarget } = { webhookTarget: await alone.projects.getWebhookTarget(made.project!) };
  assert.deepEqual(webhookTarget.secrets, [secrets[5], secrets[4]], 'the last secret and the former one');
  assert.equal(
    (await alone.projects.listLinks(patch(made.project, {}))).uniqueLinks[0]!.token,
    made.uniqueLinks[0]!.token,
  );
  const again = await alone.projects.createProject(creation(ownerId, { ...order, count: 600 }));
  assert.equal(again.projectToken, made.projectToken, 'a repeated request gets the first answer');

  await running.store.models.projects.updateOne(
    { _id: made.project!.projectId },
    { $set: { 'webhook.secret': `k0.${Buffer.alloc(40).toString('base64url')}` } },
  );
  assert.deepEqual((await pass()).unopened, [`the webhook secret of project ${made.project!.projectId}, k0`]);
  await using without = await running.withKeys(newKey, ['k0']);
  await without.projects.updateProject(patch(made.project, { webhookSecret: secrets[0] }));
  assert.deepEqual(
    (await without.projects.getWebhookTarget(made.project!)).secrets,
    [secrets[0]],
    'a new secret takes the place of one whose key is lost',
  );
  await assert.rejects(both.operator.reseal({ cursor: 'tokens:1', dryRun: false }), refusedAs('invalid', /cursor/));
});
