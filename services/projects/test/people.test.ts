import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import type { DomainError } from '@recording-request/kit/errors';
import type { Invitation, Link } from '@recording-request/proto/projects/v1/projects';
import { invited, keyOf, linksOf, NOBODY, people, person } from './people.ts';
import { begin, counters, newProject, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const DUE = new Date('2030-01-02T03:04:05.678Z');
const ADA = invited(
  { name: 'Ada Łovelace 爱达', reference: 'P-17', email: 'Ada@Example.org', locale: 'de-AT' },
  { metadata: { course: 'Math & "more"', الاسم: 'آدا' }, dueAt: DUE },
);

/** Returns the text of every stored record. */
async function stored(): Promise<string> {
  const records: string[] = [];
  for (const model of Object.values(running.store.models))
    for await (const document of model.collection.find()) records.push(JSON.stringify(document));
  return records.join('\n');
}

const flags = async (made: Awaited<ReturnType<typeof newProject>>) => {
  const whole = await running.projects.getProject(keyOf(made));
  const named = await running.projects.getProject({ ...keyOf(made), nameOnly: true });
  const target = await running.projects.getWebhookTarget({ projectId: made.project!.projectId });
  return [whole.project!.hasInvitations, whole.hasInvitations, named.hasInvitations, target.hasInvitations];
};

test('a project is created with people, whom only sealed texts contain', async () => {
  const made = await newProject(running, {
    count: 3,
    idempotencyKey: 'people',
    settings: { sharedLinkEnabled: true },
    invitations: { invitations: [ADA, invited({ email: 'bob@example.org', name: ' Bob ' })] },
  });
  const shown = made.uniqueLinks.map(link => link.invitation);
  const bob = { ...NOBODY, person: person({ name: 'Bob', email: 'bob@example.org' }) };
  assert.deepEqual(shown, [ADA, bob, undefined]);
  assert.equal(made.sharedLink!.invitation, undefined);
  const listed = await running.projects.listLinks(keyOf(made));
  assert.deepEqual(listed.uniqueLinks, made.uniqueLinks);
  assert.deepEqual(listed.sharedLink, made.sharedLink);
  const tokens = [...made.uniqueLinks, made.sharedLink!].map(({ token }) => hashToken(token));
  const pages = await Promise.all(
    tokens.map(tokenHash => running.projects.resolveRecipient({ tokenHash, withResponse: true })),
  );
  assert.deepEqual(
    pages.map(({ locale }) => locale),
    ['de-AT', undefined, undefined, undefined],
    'the recorder learns the language',
  );
  assert.deepEqual(await flags(made), [true, true, true, true]);
  assert.deepEqual(await flags(await newProject(running)), [false, false, false, false]);

  const { projectId } = made.project!;
  const [ada, , third] = made.uniqueLinks;
  const origin = (linkId: string) => ({ linkId, responseSessionId: '' });
  const origins = [third!, ada!, made.sharedLink!, ada!].map(({ linkId }) => origin(linkId));
  const { invitations } = await running.projects.getInvitations({ projectId, origins });
  assert.deepEqual(invitations, [NOBODY, ADA, NOBODY, ADA]);
  const other = await newProject(running);
  const elsewhere = await running.projects.getInvitations({
    projectId: other.project!.projectId,
    origins: [origin(ada!.linkId)],
  });
  assert.deepEqual(elsewhere.invitations, [NOBODY], 'a link of another project has no invitation');
  const tooMany = { projectId, origins: Array.from({ length: 501 }, () => origin(ada!.linkId)) };
  await assert.rejects(running.projects.getInvitations(tooMany), refusedAs('invalid', /500/));
  for (const text of ['ovelace', 'P-17', 'xample.org', 'Math', 'آدا', 'Bob'])
    assert.ok(!(await stored()).includes(text), `${text} is stored`);
});

test('wrong values are refused by their field, and the sentence has none of them', async () => {
  const control = String.fromCharCode(7);
  const metadata = (entries: [string, string][]) =>
    invited({ name: 'secret' }, { metadata: Object.fromEntries(entries) });
  const cases: [RegExp, Invitation][] = [
    [/name must have at most 200/, invited({ name: 'secret'.repeat(34) })],
    [/name must have no control/, invited({ name: `secret${control}` })],
    [/reference must have at most 200/, invited({ reference: `secret${'x'.repeat(5_000)}` })],
    [/reference must have no control/, invited({ reference: `secret${control}<b>` })],
    [/email must contain @/, invited({ email: 'secret' })],
    [/email must have at most 320/, invited({ email: `secret@${'x'.repeat(320)}` })],
    [/locale must be a BCP 47 tag/, invited({ locale: 'secret tag' })],
    [/locale must be a BCP 47 tag/, invited({ locale: `en-${'secret-'.repeat(20)}` })],
    [/metadata must have at most 20 keys/, metadata(Array.from({ length: 21 }, (_, index) => [`secret${index}`, 'x']))],
    [/metadata must have keys of 1 to 40/, metadata([['secret'.repeat(7), 'x']])],
    [/metadata must have keys of 1 to 40/, metadata([['', 'secret']])],
    [/metadata must have values of at most 500/, metadata([['x', 'secret'.repeat(84)]])],
    [/metadata must have no control/, metadata([['x', `secret${control}`]])],
  ];
  const made = await newProject(running);
  const [link] = made.uniqueLinks;
  for (const [sentence, invitation] of cases) {
    const calls = [
      () => newProject(running, { count: 2, invitations: { invitations: [NOBODY, invitation] } }),
      () => running.projects.updateLink({ ...keyOf(made), linkId: link!.linkId, ...changeTo(invitation) }),
    ];
    for (const call of calls) {
      const error = await call().then(
        () => assert.fail(`${sentence} was accepted`),
        (each: unknown) => each as DomainError,
      );
      assert.ok(refusedAs('invalid', sentence)(error));
      assert.ok(!error.message.includes('secret'), error.message);
    }
  }
  await assert.rejects(
    newProject(running, { count: 1, invitations: { invitations: people(2) } }),
    refusedAs('invalid', /^count must be at least the number of recipients/),
  );
  const twice = [...people(2), invited({ reference: ' P-1' })];
  await assert.rejects(
    newProject(running, { count: 3, invitations: { invitations: twice } }),
    refusedAs('invalid', /entry 3: entry 1 has the same/),
  );
  const long = invited({ name: '𝒜'.repeat(200), locale: 'zh-hant-TW' }, { metadata: { a: '𝒜\n'.repeat(250) } });
  const { uniqueLinks } = await newProject(running, { invitations: { invitations: [long] } });
  assert.equal(uniqueLinks[0]!.invitation!.person!.name, long.person!.name);
  assert.equal(uniqueLinks[0]!.invitation!.person!.locale, 'zh-Hant-TW');
});

const changeTo = ({ person: value, metadata }: Invitation) => ({
  personChange: { $case: 'person' as const, value: value! },
  metadata: { metadata },
});

test('an owner changes each part of an invitation, and the others stay', async () => {
  const made = await newProject(running, { count: 2, settings: { sharedLinkEnabled: true } });
  const [first, second] = made.uniqueLinks;
  type Change = Partial<Parameters<TestProjects['projects']['updateLink']>[0]>;
  let changedAt = first!.changedAt!;
  const update = async (change: Change, linkId = first!.linkId) => {
    const { link } = await running.projects.updateLink({ ...keyOf(made), linkId, ...change });
    return link!;
  };
  const expectAfter = async (change: Change, invitation: Invitation | undefined, disabled = false) => {
    const link = await update(change);
    assert.deepEqual(link.invitation, invitation);
    assert.ok(link.changedAt! >= changedAt, 'a change moves changedAt');
    changedAt = link.changedAt!;
    const [listed] = await linksOf(running, made);
    assert.deepEqual(listed, link);
    assert.equal((await running.store.links.find({ ...keyOf(made), linkId: link.linkId }))!.disabled, disabled);
  };
  const { metadata } = ADA;
  await expectAfter({ metadata: { metadata } }, { ...NOBODY, metadata });
  await expectAfter({ personChange: { $case: 'person', value: ADA.person! } }, { ...ADA, dueAt: undefined });
  await expectAfter({ dueChange: { $case: 'dueAt', value: DUE }, disabled: true }, ADA, true);
  await expectAfter({ disabled: false }, ADA);
  await expectAfter({ personChange: { $case: 'noPerson', value: false } }, ADA);
  await expectAfter({ metadata: { metadata: {} } }, { ...ADA, metadata: {} });
  const taken = refusedAs('invalid', new RegExp(`link ${first!.linkId} has the same reference or email`));
  await assert.rejects(update(changeTo(invited({ reference: 'P-17' })), second!.linkId), taken);
  await expectAfter({ personChange: { $case: 'noPerson', value: true } }, { ...NOBODY, dueAt: DUE });
  await update(changeTo(invited({ reference: 'P-17' })), second!.linkId);
  await expectAfter({ dueChange: { $case: 'noDue', value: true } }, undefined);
  const document = await running.store.models.links.findById(first!.linkId).lean();
  assert.deepEqual(
    [document!.sealedInvitation, document!.personKey, document!.dueAt],
    [undefined, undefined, undefined],
  );

  const forAll = { metadata: { metadata }, dueChange: { $case: 'dueAt' as const, value: DUE } };
  const { linkId } = made.sharedLink!;
  assert.deepEqual((await update(forAll, linkId)).invitation, { ...ADA, person: undefined });
  await assert.rejects(update(changeTo(ADA), linkId), refusedAs('invalid', /shared link/));
  await assert.rejects(update({ metadata: { metadata } }, 'unknown'), refusedAs('not_found'));
  const foreign = { ...keyOf(made), ownerId: 'another', linkId, metadata: { metadata } };
  await assert.rejects(running.projects.updateLink(foreign), refusedAs('not_found'));
});

test('links are found by reference and by their last change', async () => {
  const invitations = [...people(3), invited({ email: 'p-1@example.org' })];
  const made = await newProject(running, {
    count: 6,
    invitations: { invitations },
    settings: { sharedLinkEnabled: true },
  });
  const all = made.uniqueLinks.map(({ linkId }) => linkId);
  const found = async (filter: Parameters<typeof linksOf>[2]) =>
    (await linksOf(running, made, filter)).map(({ linkId }) => all.indexOf(linkId));
  assert.deepEqual(await found({ reference: 'P-2' }), [1]);
  assert.deepEqual(await found({ reference: ' P-2 ' }), [1]);
  assert.deepEqual(await found({ reference: 'p-2' }), [], 'a reference has letter case');
  assert.deepEqual(await found({ reference: 'p-1@example.org' }), [], 'an email is no reference');
  const origins = async (reference: string) =>
    (await running.projects.findInvitations({ ...keyOf(made), reference })).origins;
  assert.deepEqual(await origins('P-3'), [{ linkId: all[2], responseSessionId: '' }]);
  assert.deepEqual(await origins(''), []);
  const missing = { ...keyOf(made), ownerId: 'another', reference: 'P-3' };
  await assert.rejects(running.projects.findInvitations(missing), refusedAs('not_found'));
  const elsewhere = await newProject(running);
  const nowhere = await running.projects.findInvitations({ ...keyOf(elsewhere), reference: 'P-3' });
  assert.deepEqual(nowhere.origins, []);

  const before = (await linksOf(running, made)).map(link => link.changedAt!.getTime());
  const since = new Date(Math.max(...before));
  assert.deepEqual(await found({ changedAfter: since }), []);
  await running.projects.openLink({ linkId: all[4]!, projectId: made.project!.projectId });
  await running.projects.updateLink({ ...keyOf(made), linkId: all[1]!, metadata: { metadata: { a: 'b' } } });
  await begin(running, all[3]!);
  await counters(running, all[3]!);
  assert.deepEqual(await found({ changedAfter: since }), [1, 3, 4]);
  assert.deepEqual(await found({ changedAfter: since, pageSize: 1 }), [1, 3, 4], 'also in pages');
  assert.deepEqual(await found({ changedAfter: since, reference: 'P-2' }), [1]);
  assert.deepEqual(await found({ changedAfter: since, reference: 'P-1' }), []);
  assert.deepEqual(await found({ changedAfter: new Date(since.getTime() - 60_000) }), [0, 1, 2, 3, 4, 5]);
});

test('a page ends early after much metadata, and the next one goes on', async () => {
  const metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${index}`, randomBytes(375).toString('base64')]),
  );
  const invitations = Array.from({ length: 300 }, (_, index) => invited({ reference: `P-${index}` }, { metadata }));
  const made = await newProject(running, { count: 300, invitations: { invitations }, idempotencyKey: 'long' });
  assert.ok(made.uniqueLinks.length > 50 && made.uniqueLinks.length < 300, `${made.uniqueLinks.length} links`);
  const references = (links: Link[]) => links.map(link => link.invitation!.person!.reference);
  const wanted = invitations.map(each => each.person!.reference);
  assert.deepEqual(references(await linksOf(running, made)), wanted);
  const page = await running.projects.listLinks({ ...keyOf(made), cursor: made.linksCursor });
  assert.equal(page.uniqueLinks[0]!.invitation!.person!.reference, `P-${made.uniqueLinks.length}`);
});
