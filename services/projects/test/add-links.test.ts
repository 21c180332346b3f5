import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { tokenIsWellFormed } from '@recording-request/contract/tokens';
import { OnDuplicate } from '@recording-request/proto/projects/v1/projects';
import { add, invited, keyOf, linksOf, NOBODY, people } from './people.ts';
import {
  begin,
  counters,
  newOwner,
  newProject,
  outcomes,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const SKIP = { onDuplicate: OnDuplicate.ON_DUPLICATE_SKIP };
const reserved = async (userId: string) => (await running.accounts.getUser({ userId })).user!.videosReserved;
type Made = Awaited<ReturnType<typeof newProject>>;
const referencesOf = async (made: Made) =>
  (await linksOf(running, made)).map(link => link.invitation?.person?.reference);

test('added links continue after the others, and count against the allowance', async () => {
  const ownerId = await newOwner(running, 10);
  const made = await newProject(
    running,
    { count: 2, settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 2 } },
    ownerId,
  );
  const before = await running.projects.getProject(keyOf(made));
  const added = await add(running, made, [...people(2), NOBODY]);
  assert.equal(added.created, 3);
  assert.deepEqual(added.duplicates, []);
  assert.equal(added.allowanceAfter, 3);
  assert.equal(added.linksCursor, undefined);
  assert.ok(added.links.every(({ token }) => tokenIsWellFormed('vr', token)));
  assert.deepEqual(await linksOf(running, made), [...made.uniqueLinks, ...added.links]);
  assert.equal(await reserved(ownerId), 7);
  const { project } = await running.projects.getProject(keyOf(made));
  assert.equal(before.project!.hasInvitations, false);
  assert.equal(project!.hasInvitations, true);
  assert.equal(project!.linkStats!.uniqueLinksTotal, 5, 'the figures show new links at once');
  await assert.rejects(add(running, made, people(4, 3)), refusedAs('forbidden', /4 videos.*only 3 videos remain/));
  await assert.rejects(add(running, made, []), refusedAs('invalid', /1 to 10000/));
  await assert.rejects(
    add(running, made, [...people(1, 9), invited({ email: 'x' })]),
    refusedAs('invalid', /entry 2: email must contain @/),
  );
  const foreign = { project: { ...made.project!, ownerId: await newOwner(running) } };
  await assert.rejects(add(running, foreign, people(1, 9)), refusedAs('not_found'));
  assert.equal(await reserved(ownerId), 7, 'a refused request reserves nothing');
  const response = await begin(running, added.links[0]!.linkId);
  assert.equal(response.link!.position, 3);
  await counters(running, added.links[0]!.linkId);
  assert.equal(
    (await running.operator.eraseProject({ projectId: project!.projectId, dryRun: false })).videosReleased,
    7,
  );
  assert.equal(await reserved(ownerId), 0);
});

test('duplicates prevent the request or are skipped, and are always named', async () => {
  const made = await newProject(running, {
    count: 3,
    invitations: { invitations: [...people(2), invited({ email: 'Bob@example.org' })] },
  });
  const [first, , bob] = made.uniqueLinks.map(({ linkId }) => linkId);
  const rows = [
    invited({ reference: 'P-3', email: 'bob@example.org' }),
    invited({ reference: 'P-1' }),
    invited({ email: 'BOB@example.org' }),
    invited({ reference: ' P-3' }),
    invited({ reference: 'P-1', name: 'again' }),
    NOBODY,
    NOBODY,
    invited({ name: 'Nobody knows' }),
    invited({ name: 'Nobody knows' }),
  ];
  const duplicates = [
    { index: 1, linkId: first },
    { index: 2, linkId: bob },
    { index: 3, linkId: '' },
    { index: 4, linkId: first },
  ];
  const once = { idempotencyKey: 'rows', bodyHash: randomBytes(32) };
  const refused = await add(running, made, rows, once);
  assert.deepEqual([refused.created, refused.links, refused.duplicates], [0, [], duplicates]);
  const tried = await add(running, made, rows, { dryRun: true });
  assert.deepEqual([tried.created, tried.links, tried.duplicates], [0, [], duplicates]);
  assert.equal((await linksOf(running, made)).length, 3);
  const added = await add(running, made, rows, { ...SKIP, ...once });
  assert.equal(added.replayed, false, 'the refused request left its key free');
  assert.deepEqual([added.created, added.links.length, added.duplicates], [5, 5, duplicates]);
  assert.deepEqual(await linksOf(running, made), [...made.uniqueLinks, ...added.links]);
  const again = await add(running, made, rows.slice(0, 5), SKIP);
  assert.equal(again.created, 0);
  assert.deepEqual(
    again.duplicates.map(({ index }) => index),
    [0, 1, 2, 3, 4],
  );
});

test('a dry run answers what the allowance would be, and creates nothing', async () => {
  const ownerId = await newOwner(running, 4);
  const made = await newProject(running, {}, ownerId);
  assert.equal((await add(running, made, people(3), { dryRun: true })).allowanceAfter, 0);
  const beyond = await add(running, made, [...people(5), people(1)[0]!], { dryRun: true });
  assert.deepEqual([beyond.allowanceAfter, beyond.allowanceMissing], [0, 2], 'five links, without the duplicate');
  assert.deepEqual(
    beyond.duplicates.map(({ index }) => index),
    [5],
  );
  await assert.rejects(add(running, made, people(4)), refusedAs('forbidden', /only 3 videos remain/));
  assert.equal(await reserved(ownerId), 1);
  const { project } = await running.projects.getProject(keyOf(made));
  assert.deepEqual([project!.linkStats!.uniqueLinksTotal, project!.hasInvitations], [1, false]);
  const unlimited = await newProject(running);
  assert.equal((await add(running, unlimited, people(1), { dryRun: true })).allowanceAfter, undefined);
});

test('a repeated key gets the first answer, and another body or project is refused', async () => {
  const ownerId = await newOwner(running);
  const made = await newProject(running, {}, ownerId);
  const once = { idempotencyKey: 'once', bodyHash: randomBytes(32) };
  const calls = Array.from({ length: 4 }, () => add(running, made, people(3), once));
  const results = (await Promise.allSettled(calls)).flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
  const first = results.find(({ replayed }) => !replayed)!;
  assert.deepEqual(await add(running, made, people(3), once), { ...first, replayed: true });
  assert.equal(first.links[0]!.invitation!.person!.reference, 'P-1');
  assert.equal((await linksOf(running, made)).length, 4);
  const other = { ...once, bodyHash: randomBytes(32) };
  await assert.rejects(add(running, made, people(3), other), refusedAs('unprocessable'));
  const elsewhere = await newProject(running, {}, ownerId);
  await assert.rejects(add(running, elsewhere, people(3), once), refusedAs('unprocessable'));
  await running.operator.eraseProject({ projectId: made.project!.projectId, dryRun: false });
  assert.equal(await running.store.models.idempotency.countDocuments({ key: 'once' }), 0, 'erased with its project');
});

test('concurrent requests never make two links for one person, or more than the allowance has', async () => {
  const ownerId = await newOwner(running, 41);
  const made = await newProject(running, {}, ownerId);
  const rows = people(20);
  const skipping = Array.from({ length: 6 }, (_, index) => {
    const mine = index % 2 === 0 ? rows : rows.toReversed();
    return add(running, made, mine, SKIP);
  });
  const added = await Promise.all(skipping);
  assert.equal(
    added.reduce((sum, { created }) => sum + created, 0),
    20,
  );
  const known = (await referencesOf(made)).filter(Boolean).sort();
  assert.deepEqual(known, rows.map(row => row.person!.reference).sort());
  assert.equal(await reserved(ownerId), 21);

  // 20 videos remain. Each request adds 8 people of its own, and one person whom all requests add.
  const wanting = Array.from({ length: 4 }, (_, index) =>
    add(running, made, [invited({ reference: 'shared' }), ...people(8, 100 * (index + 1))], SKIP),
  );
  const counts = await outcomes(wanting);
  assert.deepEqual(counts, { ok: 2, forbidden: 2 });
  assert.equal(await reserved(ownerId), 38);
  const references = await referencesOf(made);
  assert.equal(references.filter(reference => reference === 'shared').length, 1);
  const positions = await running.store.models.links.distinct('position', { projectId: made.project!.projectId });
  assert.deepEqual(
    positions,
    Array.from({ length: 38 }, (_, index) => index + 1),
  );
});

test('a person is not given to two links at once by an update and an addition', async () => {
  const made = await newProject(running, { count: 2 });
  const [one, two] = made.uniqueLinks;
  const value = invited({ reference: 'P-1' }).person!;
  const give = (linkId: string) =>
    running.projects.updateLink({ ...keyOf(made), linkId, personChange: { $case: 'person', value } });
  const calls = [give(one!.linkId), give(two!.linkId), add(running, made, people(1), SKIP)];
  await Promise.allSettled<unknown>(calls);
  assert.equal((await linksOf(running, made, { reference: 'P-1' })).length, 1);
});

test('10,000 people are added in one request, and 100,000 links are the limit', async () => {
  const ownerId = await newOwner(running, 10_001);
  const made = await newProject(running, {}, ownerId);
  const rows = people(10_000);
  const added = await add(running, made, rows, { idempotencyKey: 'many' });
  assert.deepEqual([added.created, added.links.length, added.allowanceAfter], [10_000, 500, 0]);
  const rest = [];
  for (let cursor = added.linksCursor; cursor; ) {
    const page = await running.projects.listLinks({ ...keyOf(made), cursor });
    rest.push(...page.uniqueLinks);
    cursor = page.nextCursor;
  }
  const references = [...added.links, ...rest].map(link => link.invitation!.person!.reference);
  assert.deepEqual(
    references,
    rows.map(row => row.person!.reference),
  );
  const again = await add(running, made, rows, SKIP);
  assert.deepEqual([again.created, again.duplicates.length], [0, 10_000]);
  await assert.rejects(add(running, made, people(10_001)), refusedAs('invalid', /1 to 10000/));

  const near = await newProject(running);
  await running.store.models.links.updateOne({ _id: near.uniqueLinks[0]!.linkId }, { $set: { position: 99_999 } });
  await assert.rejects(add(running, near, people(2)), refusedAs('invalid', /at most 100000 .* has 99999/));
  assert.equal((await add(running, near, people(1))).created, 1);
});
