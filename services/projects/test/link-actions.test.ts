import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Event } from '@recording-request/proto/events/v1/events';
import { LinkAction } from '@recording-request/proto/projects/v1/projects';
import { startService } from '../src/service.ts';
import {
  begin,
  land,
  newOwner,
  newProject,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

const { LINK_ACTION_REMIND: REMIND, LINK_ACTION_DISABLE: DISABLE, LINK_ACTION_ENABLE: ENABLE } = LinkAction;
let running: TestProjects;
before(async () => {
  // Kafka is down, so that the outboxes keep their events.
  const start: typeof startService = (config, logger) =>
    startService({ ...config, kafkaBrokers: ['127.0.0.1:1'] }, logger);
  running = await startTestProjects({ REMINDER_SWEEP_SECONDS: '3600', LOG_LEVEL: 'silent' }, start);
});
after(() => running[Symbol.asyncDispose]());

const newLinks = async (count: number, given: { settings?: object; ownerId?: string } = {}) => {
  const { project, uniqueLinks, sharedLink } = await newProject(
    running,
    { count, ...(given.settings && { settings: given.settings }) },
    given.ownerId,
  );
  const { projectId, ownerId } = project!;
  return { projectId, ownerId, ids: uniqueLinks.map(({ linkId }) => linkId), shared: sharedLink?.linkId };
};

type Asked = Pick<Awaited<ReturnType<typeof newLinks>>, 'ownerId' | 'projectId'>;

async function act({ ownerId, projectId }: Asked, action: LinkAction, linkIds: string[], idempotencyKey = '') {
  const bodyHash = Buffer.alloc(32, linkIds.join().length % 256);
  const asked = { ownerId, projectId, action, linkIds, idempotencyKey, bodyHash };
  const { links, replayed } = await running.projects.actOnLinks(asked);
  assert.deepEqual(
    links.map(({ linkId }) => linkId),
    linkIds,
    'in the order of the request',
  );
  return { refusals: links.map(({ refusal }) => refusal), sentences: links.map(({ sentence }) => sentence), replayed };
}

/** Returns the types of the events that wait at each link. */
async function eventsOf(linkIds: string[]): Promise<string[][]> {
  const rows = await running.store.models.links.find({ _id: { $in: linkIds } }).lean();
  return linkIds.map(id =>
    (rows.find(row => row._id === id)?.outbox ?? []).map(({ value }) => {
      const bytes = Buffer.isBuffer(value) ? value : Buffer.from((value as { buffer: Uint8Array }).buffer);
      return Event.decode(bytes).payload!.$case;
    }),
  );
}

test('one request reminds the people who have sent nothing, and says why it left out the others', async () => {
  const project = await newLinks(4, { settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 5 } });
  const [plain, begun, sent, stopped] = project.ids as [string, string, string, string];
  await begin(running, begun);
  const id = session();
  await begin(running, sent, id);
  await land(running, sent, id);
  await running.projects.stopReminders({ projectId: project.projectId, linkId: stopped });
  const theirs = (await newLinks(1)).ids[0]!;
  const asked = [stopped, plain, project.shared!, sent, session(), begun, theirs];
  const { refusals, sentences } = await act(project, REMIND, asked);
  const no = 'not_remindable';
  assert.deepEqual(refusals, [no, '', no, no, 'not_found', '', 'not_found']);
  assert.match(sentences[0]!, /stopped the reminders/);
  assert.deepEqual(await eventsOf([plain, begun, sent, theirs]), [['linkReminderDue'], ['linkReminderDue'], [], []]);
  assert.deepEqual((await act(project, REMIND, [plain, begun])).refusals, ['reminded_recently', 'reminded_recently']);
});

test('a repetition with the same key returns the first answer and reminds nobody twice', async () => {
  const project = await newLinks(3);
  const key = session();
  const calls = await Promise.allSettled([1, 2].map(() => act(project, REMIND, project.ids, key)));
  assert.ok(calls.some(({ status }) => status === 'fulfilled'));
  const again = await act(project, REMIND, project.ids, key);
  assert.deepEqual([again.refusals, again.replayed], [['', '', ''], true]);
  assert.deepEqual(
    await eventsOf(project.ids),
    project.ids.map(() => ['linkReminderDue']),
  );
});

test('links are disabled once and enabled again; erased links stay as they are', async () => {
  const project = await newLinks(3, { settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 5 } });
  const { ownerId, projectId } = project;
  const [one, two, erased] = project.ids as [string, string, string];
  await running.projects.eraseOwnedLink({ ownerId, projectId, linkId: erased, dryRun: false });
  const all = [one, two, erased, project.shared!];
  for (let times = 0; times < 2; times++)
    assert.deepEqual((await act(project, DISABLE, all)).refusals, ['', '', 'gone', '']);
  assert.deepEqual((await eventsOf([one, two, project.shared!])).flat(), Array(3).fill('linkClosed'));
  await assert.rejects(begin(running, one), refusedAs('gone', /disabled/));
  assert.deepEqual((await act(project, ENABLE, all)).refusals, ['', '', 'gone', '']);
  await begin(running, one);
  const rows = await running.store.models.links.find({ projectId }, { disabled: 1 }).lean();
  assert.deepEqual(
    rows.filter(({ disabled }) => disabled).map(({ _id }) => _id),
    [erased],
  );
});

test('another owner, an unknown action and too many links change nothing', async () => {
  const project = await newLinks(2);
  const other = { ...project, ownerId: await newOwner(running) };
  await assert.rejects(act(other, DISABLE, project.ids), refusedAs('not_found', /project/));
  await assert.rejects(act(project, 0, project.ids), refusedAs('invalid', /^action must/));
  const many = Array.from({ length: 501 }, session);
  for (const ids of [[], many, [project.ids[0]!, project.ids[0]!]])
    await assert.rejects(act(project, DISABLE, ids), refusedAs('invalid', /^tokenIds must/));
  assert.deepEqual(await eventsOf(project.ids), [[], []]);
});

test('five hundred links take one action', async () => {
  const project = await newLinks(500);
  assert.ok((await act(project, REMIND, project.ids)).refusals.every(refusal => refusal === ''));
  assert.equal((await eventsOf(project.ids)).flat().length, 500);
});
