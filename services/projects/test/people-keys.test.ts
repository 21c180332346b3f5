import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { OnDuplicate } from '@recording-request/proto/projects/v1/projects';
import { sealReference } from '../src/workflows/invitations.ts';
import { add, invited, keyOf, linksOf, NOBODY, people, person } from './people.ts';
import { begin, newOwner, newProject, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

type Made = Awaited<ReturnType<typeof newProject>>;
type Process = Pick<TestProjects, 'projects' | 'operator'>;

const METADATA = { a: 'b' };
const invitations = [...people(3), invited({}, { metadata: METADATA }), invited({ email: 'eve@example.org' })];
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const SKIP = { onDuplicate: OnDuplicate.ON_DUPLICATE_SKIP, dryRun: true };

/** Makes a project with people, and a response of the shared link that states a reference. */
async function withPeople(ownerId?: string) {
  const settings = { sharedLinkEnabled: true, sharedLinkMaxUses: 5 };
  const made = await newProject(running, { count: 6, settings, invitations: { invitations } }, ownerId);
  const { linkId } = made.sharedLink!;
  const { responseSessionId } = await begin(running, linkId);
  const response = { _id: `${linkId}:${responseSessionId}`, projectId: made.project!.projectId };
  const secrets = createSecretBox(running.secretsKey);
  const stated = sealReference({ secrets }, response, ' P-2 ');
  await running.store.models.responses.updateOne({ _id: response._id }, { $set: stated });
  return { made, origin: { linkId, responseSessionId } };
}

/** Returns the data that a process shows about the person P-2 and about the response on the shared link. */
async function shownBy({ projects }: Process, made: Made, origin: { linkId: string; responseSessionId: string }) {
  const { projectId } = made.project!;
  const second = { linkId: made.uniqueLinks[1]!.linkId, responseSessionId: '' };
  const { origins } = await projects.findInvitations({ ...keyOf(made), reference: 'P-2' });
  const shown = await projects.getInvitations({ projectId, origins: [second, origin] });
  const listed = await linksOf({ projects }, made, { reference: 'P-2' });
  const { duplicates } = await add({ projects }, made, invitations, SKIP);
  return { origins, invitations: shown.invitations, listed: listed.length, duplicates: duplicates.length };
}

const referred = { ...NOBODY, person: person({ reference: 'P-2', verified: false }) };
/** The values that every process with the right keys shows. */
const whole = (made: Made, origin: { linkId: string; responseSessionId: string }) => ({
  origins: [{ linkId: made.uniqueLinks[1]!.linkId, responseSessionId: '' }, origin],
  invitations: [invitations[1], referred],
  listed: 1,
  duplicates: 4,
});

async function reseal({ operator }: Process) {
  const unopened: string[] = [];
  let resealed = 0;
  for (let cursor = ''; ; ) {
    const batch = await operator.reseal({ cursor, dryRun: false });
    resealed += batch.resealed;
    unopened.push(...batch.unopened.map(({ record }) => record));
    cursor = batch.nextCursor;
    if (cursor === '') return { resealed, unopened };
  }
}

test('people are shown and found before, during and after a change of the key', async () => {
  const { made, origin } = await withPeople();
  const expected = whole(made, origin);
  assert.deepEqual(await shownBy(running, made, origin), expected);
  const next = newKey('k2');
  await using both = await running.withKeys(`${next},${running.secretsKey}`);
  assert.deepEqual(await shownBy(both, made, origin), expected, 'before the resealing');
  await add(both, made, people(1, 4));
  const first = await reseal(both);
  assert.deepEqual(first.unopened, []);
  assert.deepEqual(await shownBy(both, made, origin), expected);
  await using alone = await running.withKeys(next);
  assert.deepEqual(await shownBy(alone, made, origin), expected, 'the old key is not needed');
  assert.equal((await add(alone, made, people(4), SKIP)).duplicates.length, 4);
  const stored = await running.store.models.links.find({ projectId: made.project!.projectId }).lean();
  const keys = stored.flatMap(link => [link.personKey, link.sealedInvitation]).filter(text => text !== undefined);
  assert.ok(keys.length > 8 && keys.every(text => text.startsWith('k2.')), 'every text and digest is renewed');
  const changed = stored.filter(link => link.changedAt > link.createdAt);
  assert.deepEqual(
    changed.map(({ type }) => type),
    ['shared'],
    'only the claim changed a link',
  );
  assert.equal((await reseal(both)).resealed, 0);
  await running.operator.eraseProject({ projectId: made.project!.projectId, dryRun: false });
});

test('people sealed with a lost key are not shown, and everything else is', async () => {
  const { made, origin } = await withPeople();
  const { models } = running.store;
  const [, second, third] = made.uniqueLinks.map(({ linkId }) => linkId) as [string, string, string];
  const lost = { sealedInvitation: `k0.${Buffer.alloc(60).toString('base64url')}`, personKey: 'k0.x' };
  await models.links.updateMany({ _id: { $in: [second, third] } }, { $set: lost });
  await models.links.updateOne({ _id: second }, { $set: { dueAt: new Date(0) } });
  const reference = { sealedReference: lost.sealedInvitation, personKey: 'k0.y' };
  await models.responses.updateOne({ linkId: origin.linkId }, { $set: reference });
  await using without = await running.withKeys(running.secretsKey, ['k0']);
  assert.deepEqual(await shownBy(without, made, origin), {
    origins: [],
    invitations: [{ ...NOBODY, dueAt: new Date(0) }, NOBODY],
    listed: 0,
    duplicates: 2,
  });
  const shown = (await linksOf(without, made)).map(link => link.invitation);
  const due = { ...NOBODY, dueAt: new Date(0) };
  assert.deepEqual(shown, [
    invitations[0],
    due,
    undefined,
    { ...NOBODY, metadata: METADATA },
    invitations[4],
    undefined,
  ]);
  const names = (await reseal(without)).unopened.sort();
  const expected = [
    `the invitation of link ${second}`,
    `the invitation of link ${third}`,
    `the reference of response ${origin.linkId}:${origin.responseSessionId}`,
  ];
  assert.deepEqual(names, expected.sort());
  const person = { $case: 'person' as const, value: invitations[1]!.person! };
  const { link } = await without.projects.updateLink({ ...keyOf(made), linkId: second, personChange: person });
  assert.deepEqual(link!.invitation, { ...invitations[1], dueAt: new Date(0) }, 'the owner can state it again');
  await running.operator.eraseProject({ projectId: made.project!.projectId, dryRun: false });
});

test('the erasure of a project removes its people, also those of a running request', async () => {
  const ownerId = await newOwner(running);
  const { made, origin } = await withPeople(ownerId);
  const { projectId } = made.project!;
  await add(running, made, people(2, 10), { idempotencyKey: 'rows' });
  const would = await running.operator.eraseProject({ projectId, dryRun: true });
  assert.deepEqual([would.links, would.responses, would.rememberedAnswers], [9, 1, 1]);
  const racing = Promise.allSettled(
    Array.from({ length: 5 }, (_, index) => add(running, made, people(5, 20 + 5 * index))),
  );
  const erased = await running.operator.eraseProject({ projectId, dryRun: false });
  const added = (await racing).filter(({ status }) => status === 'fulfilled').length;
  assert.equal(erased.links, 9 + 5 * added, 'a request ends before the erasure, or adds nothing');
  const { models } = running.store;
  assert.equal(await models.links.countDocuments({ projectId }), 0);
  assert.equal(await models.responses.countDocuments({ projectId }), 0);
  assert.equal(await models.idempotency.countDocuments({ userId: ownerId }), 0);
  assert.equal((await running.accounts.getUser({ userId: ownerId })).user!.videosReserved, 0);
  const origins = [{ linkId: made.uniqueLinks[0]!.linkId, responseSessionId: '' }, origin];
  assert.deepEqual((await running.projects.getInvitations({ projectId, origins })).invitations, [NOBODY, NOBODY]);
});

test('the erasure of a clip removes the reference that its response stated, and counts it', async () => {
  const { made, origin } = await withPeople();
  const { projectId } = made.project!;
  const forget = async (given: Partial<Parameters<typeof running.projects.forgetReference>[0]>) =>
    (await running.projects.forgetReference({ projectId, origin, dryRun: false, ...given })).references;
  assert.equal(await forget({ dryRun: true }), 1);
  assert.equal(await forget({ projectId: 'another' }), 0);
  assert.equal(await forget({ origin: { linkId: 'x', responseSessionId: '' } }), 0);
  assert.deepEqual(await shownBy(running, made, origin), whole(made, origin));
  assert.equal(await forget({}), 1);
  assert.equal(await forget({}), 0);
  const { origins, invitations: shown } = await shownBy(running, made, origin);
  assert.deepEqual(shown, [invitations[1], NOBODY]);
  assert.equal(origins.length, 1);
  const stored = await running.store.models.responses.findOne({ linkId: origin.linkId }).lean();
  assert.deepEqual([stored!.sealedReference, stored!.personKey], [undefined, undefined]);
});

test('the erasure of the last clip of a unique link removes its person and metadata, and announces it once more', async () => {
  const { made } = await withPeople();
  const { projectId } = made.project!;
  const linkId = made.uniqueLinks[1]!.linkId;
  const origin = { linkId, responseSessionId: 'any' };
  const forget = (dryRun: boolean) => running.projects.forgetReference({ projectId, origin, dryRun });
  assert.deepEqual(await forget(true), { references: 0, people: 1, linkId });
  assert.deepEqual(await forget(false), { references: 0, people: 1, linkId });
  // An earlier event may contain a person whom the owner has removed, so the erasure of a link without a person also
  // adds its event.
  assert.deepEqual(await forget(false), { references: 0, people: 0, linkId });
  const stored = await running.store.models.links.findOne({ _id: linkId, projectId }).lean();
  assert.deepEqual([stored!.sealedInvitation, stored!.personKey], [undefined, undefined]);
  const { invitations: shown } = await running.projects.getInvitations({ projectId, origins: [origin] });
  assert.deepEqual(shown, [NOBODY]);
  const plain = await newProject(running, { count: 1 });
  const ofPlain = { linkId: plain.uniqueLinks[0]!.linkId, responseSessionId: 'any' };
  const none = await running.projects.forgetReference({
    ...{ projectId: plain.project!.projectId, origin: ofPlain, dryRun: false },
  });
  assert.deepEqual(none, { references: 0, people: 0, linkId: '' });
});
