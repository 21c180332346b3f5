import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { createSecretBox } from '@recording-request/kit/secret-box';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { CreateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import { LinkStatus, PersonState } from '@recording-request/proto/projects/v1/projects';
import { openInbox } from '@recording-request/testing/event-inbox';
import { confirmLinkErasure } from '../src/workflows/confirm-erasure.ts';
import {
  begin,
  counters,
  land,
  newOwner,
  newProject,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running?.[Symbol.asyncDispose]());

const ANA = { name: 'Ana of a link', reference: 'L-1', email: 'ana@link.example', locale: 'pt', verified: true };
const invitation = { person: ANA, metadata: { team: 'North of a link' }, dueAt: new Date('2030-01-01T00:00:00Z') };

async function invited(ownerId: string, settings = {}) {
  return await newProject(
    running,
    { count: 2, invitations: { invitations: [invitation] }, settings: { sharedLinkEnabled: true, ...settings } },
    ownerId,
  );
}

const keyOf = ({ project, uniqueLinks }: CreateProjectResponse) => ({
  ...{ ownerId: project!.ownerId, projectId: project!.projectId, linkId: uniqueLinks[0]!.linkId },
});
const erase = async (key: ReturnType<typeof keyOf>, dryRun = false) =>
  (await running.projects.eraseOwnedLink({ ...key, dryRun })).counts!;
const listed = async ({ ownerId, projectId, linkId }: ReturnType<typeof keyOf>, filter = {}) =>
  (await running.projects.listLinks({ ownerId, projectId, ...filter })).uniqueLinks.find(
    each => each.linkId === linkId,
  );
const reserved = async (userId: string) => (await running.accounts.getUser({ userId })).user!.videosReserved;

test('an erased link stays listed as closed, without its person, state and responses', async () => {
  const ownerId = await newOwner(running, 10);
  const made = await invited(ownerId, { interviewQuestions: ['Who?', 'Why?'], sharedLinkMaxUses: 1 });
  const key = keyOf(made);
  const { linkId, projectId } = key;
  const { token } = made.uniqueLinks[0]!;
  await running.projects.openLink({ linkId, projectId });
  const { responseSessionId } = await begin(running, linkId);
  for (const question of [0, 1]) await land(running, linkId, responseSessionId, question);
  await counters(running, linkId);
  const { response } = await running.projects.getResponse({ linkId, responseSessionId, withCompletion: true });
  const code = { ownerId, projectId, code: response!.completion!.code };
  assert.ok((await running.projects.findCompletion(code)).origin);

  const tally = { links: 1, people: 1, responses: 1, rememberedAnswers: 0, videosReleased: 0 };
  assert.deepEqual(await erase(key, true), tally);
  assert.equal((await listed(key))!.invitation!.person!.name, ANA.name, 'a dry run changes nothing');
  const changedBefore = (await listed(key))!.changedAt!;
  assert.deepEqual(await erase(key), tally);
  assert.deepEqual(await erase(key), { ...tally, links: 0, people: 0, responses: 0 }, 'a repeated call finds nothing');
  assert.deepEqual(await erase(key, true), { ...tally, links: 0, people: 0, responses: 0 });

  const link = (await listed(key))!;
  assert.deepEqual(
    [link.status, link.personState, link.invitation, link.openedAt, link.submittedAt, link.completedAt],
    [LinkStatus.LINK_STATUS_DISABLED, PersonState.PERSON_STATE_CLOSED, undefined, undefined, undefined, undefined],
  );
  assert.equal(link.submissionCount, 0);
  assert.ok(link.changedAt! > changedBefore, 'a program that follows the changes sees it');
  assert.ok(await listed(key, { personState: PersonState.PERSON_STATE_CLOSED, pageSize: 5 }));
  assert.equal(await listed(key, { reference: ANA.reference, pageSize: 5 }), undefined);
  assert.equal(await listed(key, { personState: PersonState.PERSON_STATE_SENT, pageSize: 5 }), undefined);
  assert.equal((await running.projects.findCompletion(code)).origin, undefined);
  const stored = (await running.store.models.links.findById(linkId).lean())!;
  for (const name of ['sealedInvitation', 'personKey', 'dueAt', 'dueSince', 'reminded', 'remindersSent'])
    assert.ok(!(name in stored), name);
  assert.equal(await running.store.models.responses.countDocuments({ projectId }), 0);
  await assert.rejects(running.projects.getResponse({ linkId, responseSessionId }), refusedAs('not_found'));

  const opened = await running.projects.resolveRecipient({ tokenHash: hashToken(token) });
  assert.equal(opened.status, LinkStatus.LINK_STATUS_DISABLED);
  await assert.rejects(begin(running, linkId), refusedAs('gone', /disabled/));
  await assert.rejects(begin(running, linkId, responseSessionId), refusedAs('gone', /disabled/));
  await assert.rejects(land(running, linkId, responseSessionId), refusedAs('not_found'));
  for (const change of [{ disabled: false }, { personChange: { $case: 'person', value: ANA } as const }])
    await assert.rejects(running.projects.updateLink({ ...key, ...change }), refusedAs('gone', /was erased/));
  await running.projects.openLink({ linkId, projectId });
  await running.projects.stopReminders({ linkId, projectId });
  const after = (await listed(key))!;
  assert.deepEqual([after.openedAt, after.remindersStopped], [undefined, false]);

  assert.equal(await reserved(ownerId), 3, 'the erasure of a link releases no video');
  const gone = await running.operator.eraseProject({ projectId, dryRun: false });
  assert.deepEqual([gone.links, gone.videosReleased, await reserved(ownerId)], [3, 2, 1], 'the used one stays counted');
  assert.deepEqual(await erase(key), { ...tally, links: 0, people: 0, responses: 0 }, 'its project is gone');
});

test('a landing and a claim that run during the erasure of their link change nothing', async () => {
  const key = keyOf(await invited(await newOwner(running)));
  const { linkId } = key;
  const { store } = running;
  const begun = await begin(running, linkId);
  await counters(running, linkId);
  const known = (await store.responses.find(`${linkId}:${begun.responseSessionId}`))!;
  const transfer = store.transfers.make('land', new Date());
  const landing = (await store.responses.beginTransfer(
    known._id,
    { use: 'held', answers: 0 },
    { use: 'landed' },
    transfer,
  ))!;
  await erase(key);
  await assert.rejects(store.transfers.execute(landing), /does not take transfer/);
  const late = { ...known, sessionId: session(), use: 'claiming' as const };
  const claiming = { ...late, _id: `${linkId}:${late.sessionId}`, transfer: store.transfers.make('begin', new Date()) };
  assert.ok(await store.responses.insert(claiming));
  assert.equal(await store.transfers.execute(claiming), 'refused');
  const { claimed, landed, submissionCount } = (await store.links.find(key))!;
  assert.deepEqual([claimed, landed, submissionCount], [0, 0, 0]);
  assert.equal(await store.models.responses.countDocuments({ linkId }), 0);
});

test('announces the erasure of the person before the close, and no close of a disabled link', async () => {
  const inbox = await openInbox(await running.stores.kafka(), 'projects.events');
  const typesOf: (() => string[])[] = [];
  for (const disabled of [true, false]) {
    const key = keyOf(await invited(await newOwner(running)));
    if (disabled) await running.store.links.update(key, { disabled });
    await erase(key);
    const isOurs = ({ payload }: Event) =>
      (payload?.$case === 'personErased' || payload?.$case === 'linkClosed') && payload.value.linkId === key.linkId;
    if (!disabled) await inbox.first(event => isOurs(event) && event.type === 'link.closed');
    await inbox.first(event => isOurs(event) && event.type === 'person.erased');
    typesOf.push(() => inbox.events.filter(isOurs).map(({ type }) => type));
  }
  assert.deepEqual(
    typesOf.map(types => types()),
    [['person.erased'], ['person.erased', 'link.closed']],
  );
});

test('another owner, a shared link and a value for another target erase nothing', async () => {
  const ownerId = await newOwner(running);
  const made = await invited(ownerId);
  const key = keyOf(made);
  const { projectId } = key;
  const stranger = { ...key, ownerId: await newOwner(running) };
  const shared = { ...key, linkId: made.sharedLink!.linkId };
  for (const call of [running.projects.proposeLinkErasure, running.projects.eraseOwnedLink] as const) {
    await assert.rejects(call({ ...stranger, dryRun: false }), refusedAs('not_found'));
    await assert.rejects(call({ ...shared, dryRun: false }), refusedAs('unprocessable', /shared link/));
  }
  await assert.rejects(running.operator.findLink({ linkId: shared.linkId }), refusedAs('unprocessable'));
  await assert.rejects(running.operator.findLink({ linkId: session() }), refusedAs('not_found'));
  const { confirm, counts, confirmExpiresAt } = await running.projects.proposeLinkErasure(key);
  assert.deepEqual([counts!.links, counts!.people], [1, 1]);
  await running.projects.confirmLinkErasure({ ...key, confirm });
  const other = { ...key, linkId: made.uniqueLinks[1]!.linkId };
  const ofClip = await running.projects.proposeErasure({ ownerId, projectId, submissionId: key.linkId });
  for (const [target, value] of [
    [other, confirm],
    [key, ofClip.confirm],
    [key, 'nonsense'],
  ] as const)
    await assert.rejects(
      running.projects.confirmLinkErasure({ ...target, confirm: value }),
      refusedAs('conflict', /not given out/),
    );
  await assert.rejects(
    running.projects.confirmErasure({ ownerId, projectId, submissionId: '', confirm }),
    refusedAs('conflict', /not given out/),
  );
  const { store } = running;
  const late = {
    store,
    secrets: createSecretBox(running.secretsKey),
    clock: { now: () => confirmExpiresAt! },
  } as never;
  await assert.rejects(confirmLinkErasure(late, key, confirm), refusedAs('conflict', /expired/));
  assert.ok((await listed(key))!.invitation);
  assert.deepEqual(await running.operator.findLink({ linkId: key.linkId }), {
    ownerId,
    projectId,
    erasedAt: undefined,
  });
});
