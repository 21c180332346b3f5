import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { Event } from '@recording-request/proto/events/v1/events';
import { startService } from '../src/service.ts';
import { sendReminders } from '../src/workflows/send-reminders.ts';
import {
  begin,
  land,
  newOwner,
  newProject,
  patch,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const log = createLogger('test', 'silent');
let running: TestProjects;
before(async () => {
  // Kafka is down, so that the outboxes keep their events.
  const start: typeof startService = (config, logger) =>
    startService({ ...config, kafkaBrokers: ['127.0.0.1:1'] }, logger);
  running = await startTestProjects({ REMINDER_SWEEP_SECONDS: '3600', LOG_LEVEL: 'silent' }, start);
});
after(() => running[Symbol.asyncDispose]());

const newProjectWithoutExpiry = (given: Parameters<typeof newProject>[1], ownerId?: string) =>
  newProject(running, { ...given, expiresInSeconds: undefined }, ownerId);

const remind = { afterDays: [3, 7], beforeDueHours: [24] };

/** Runs the sweep of a process whose clock is `ms` ahead. */
const sweepIn = (ms: number) =>
  sendReminders(
    { store: running.store, clock: { now: () => new Date(running.clock.now().getTime() + ms) } as never },
    log,
  );

/** Returns the numbers of the reminders of each link, in the order of the given links. */
async function remindersOf(linkIds: string[]): Promise<number[][]> {
  const rows = await running.store.models.links.find({ _id: { $in: linkIds } }).lean();
  return linkIds.map(id => {
    const events = (rows.find(row => row._id === id)?.outbox ?? []).map(({ value }) =>
      Event.decode(Buffer.isBuffer(value) ? value : Buffer.from((value as { buffer: Uint8Array }).buffer)),
    );
    return events.flatMap(({ payload }) => (payload?.$case === 'linkReminderDue' ? [payload.value.number] : []));
  });
}

test('each link gets each reminder once, in the order of its times', async () => {
  const { uniqueLinks } = await newProjectWithoutExpiry({ count: 3, settings: { remind } });
  const ids = uniqueLinks.map(({ linkId }) => linkId);
  await sweepIn(2 * DAY_MS);
  assert.deepEqual(await remindersOf(ids), [[], [], []]);
  for (const days of [3, 3, 4]) await sweepIn(days * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [[1], [1], [1]]);
  await Promise.all([sweepIn(7 * DAY_MS + HOUR_MS), sweepIn(7 * DAY_MS + HOUR_MS)]);
  await sweepIn(30 * DAY_MS);
  assert.deepEqual(await remindersOf(ids), [
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test('nobody is reminded who has sent a clip or stopped, or whose link or project has ended', async () => {
  const { project, uniqueLinks } = await newProjectWithoutExpiry({
    count: 6,
    settings: { remind, sharedLinkEnabled: true, sharedLinkMaxUses: 5 },
  });
  const ids = uniqueLinks.map(({ linkId }) => linkId) as [string, string, string, string, string, string];
  const { projectId, ownerId } = project!;
  const [sent, begun, stopped, disabled, erased, plain] = ids;
  const id = session();
  await begin(running, sent, id);
  await land(running, sent, id);
  await begin(running, begun);
  for (let calls = 0; calls < 2; calls++) await running.projects.stopReminders({ projectId, linkId: stopped });
  await running.projects.updateLink({ ownerId, projectId, linkId: disabled, disabled: true });
  await running.store.models.links.deleteOne({ _id: erased });
  await sweepIn(3 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf([sent, begun, stopped, disabled, plain]), [[], [1], [], [], [1]]);
  const { uniqueLinks: shown } = await running.projects.listLinks({ ownerId, projectId });
  const stops = shown.map(link => [link.linkId, link.remindersSent, link.remindersStopped]);
  assert.deepEqual(
    stops.find(([linkId]) => linkId === stopped),
    [stopped, 0, true],
  );
  assert.deepEqual(
    stops.find(([linkId]) => linkId === plain),
    [plain, 1, false],
  );
  await running.projects.setProjectClosed({ ownerId, projectId, closed: true });
  await sweepIn(7 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf([begun, plain]), [[1], [1]]);
});

test('a deadline reminds before it, once, and never after it', async () => {
  const dueAt = new Date(Date.now() + 10 * DAY_MS);
  const past = new Date(Date.now() + HOUR_MS);
  const over = new Date(Date.now() - DAY_MS);
  const invitations = [dueAt, past, over].map(due => ({ metadata: {}, dueAt: due }));
  const given = {
    count: 4,
    invitations: { invitations },
    settings: { remind: { afterDays: [], beforeDueHours: [24] } },
  };
  const { uniqueLinks } = await newProjectWithoutExpiry(given as never);
  const ids = uniqueLinks.map(({ linkId }) => linkId);
  for (const ms of [8 * DAY_MS, 9 * DAY_MS + HOUR_MS, 9 * DAY_MS + 2 * HOUR_MS, 11 * DAY_MS]) await sweepIn(ms);
  assert.deepEqual(await remindersOf(ids), [[1], [], [], []], 'the next two were due before the project was made');
});

test('a new time reminds nobody for whom it has passed, and a removed one ends', async () => {
  const { project, uniqueLinks } = await newProjectWithoutExpiry({
    settings: { remind: { afterDays: [], beforeDueHours: [] } },
  });
  const ids = uniqueLinks.map(({ linkId }) => linkId);
  await running.store.models.links.updateMany(
    { _id: { $in: ids } },
    { $set: { createdAt: new Date(Date.now() - 5 * DAY_MS) } },
  );
  await running.projects.updateProject(patch(project, { remind: { afterDays: [3, 9, 12], beforeDueHours: [] } }));
  await sweepIn(HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [[]]);
  await sweepIn(4 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [[1]]);
  await running.projects.updateProject(patch(project, { remind: { afterDays: [], beforeDueHours: [] } }));
  await sweepIn(20 * DAY_MS);
  assert.deepEqual(await remindersOf(ids), [[1]]);
});

test('hundreds of people are reminded in batches by several processes, while some send their clip', async () => {
  const ownerId = await newOwner(running);
  const { project, uniqueLinks } = await newProjectWithoutExpiry(
    { count: 300, settings: { remind: { afterDays: [3], beforeDueHours: [] } } },
    ownerId,
  );
  const ids = uniqueLinks.map(({ linkId }) => linkId);
  const landing = ids.filter((_, at) => at % 10 === 0);
  await Promise.all([
    ...[1, 2, 3].map(() => sweepIn(3 * DAY_MS + HOUR_MS)),
    ...landing.map(async linkId => {
      const id = session();
      await begin(running, linkId, id);
      await land(running, linkId, id);
    }),
  ]);
  await sweepIn(3 * DAY_MS + 2 * HOUR_MS);
  const reminded = await remindersOf(ids);
  assert.ok(
    reminded.every(numbers => numbers.length <= 1),
    'nobody is reminded twice',
  );
  for (const [at, numbers] of reminded.entries()) if (at % 10 !== 0) assert.deepEqual(numbers, [1]);
  assert.ok(project);
});

test('the people of a disabled owner get no reminder; an enabled owner loses none', async () => {
  const given = { count: 2, settings: { remind: { afterDays: [3, 7], beforeDueHours: [] } } };
  const { project, uniqueLinks } = await newProjectWithoutExpiry(given);
  const ids = uniqueLinks.map(({ linkId }) => linkId);
  const { ownerId: userId } = project!;
  await running.operator.setUserDisabled({ userId, disabled: true });
  await sweepIn(3 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [[], []]);
  await running.operator.setUserDisabled({ userId, disabled: false });
  await sweepIn(3 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [[1], [1]], 'at once, not with the next look at the project');
  for (const days of [3, 7, 8]) await sweepIn(days * DAY_MS + 2 * HOUR_MS);
  assert.deepEqual(await remindersOf(ids), [
    [1, 2],
    [1, 2],
  ]);
});

test('an owner stops and resumes the reminders of one link, but never resumes those that its person stopped', async () => {
  const { project, uniqueLinks, sharedLink } = await newProjectWithoutExpiry({
    count: 3,
    settings: { remind, sharedLinkEnabled: true, sharedLinkMaxUses: 5 },
  });
  const { projectId, ownerId } = project!;
  const [paused, personal, plain] = uniqueLinks.map(({ linkId }) => linkId) as [string, string, string];
  const set = async (linkId: string, remindersStopped: boolean, more: object = {}) =>
    (await running.projects.updateLink({ ownerId, projectId, linkId, remindersStopped, ...more })).link!
      .remindersStopped;
  assert.equal(await set(plain, false), false, 'nothing was stopped');
  assert.equal(await set(paused, true), true);
  await running.projects.stopReminders({ projectId, linkId: personal });
  await sweepIn(3 * DAY_MS + HOUR_MS);
  assert.deepEqual(await remindersOf([paused, personal, plain]), [[], [], [1]]);
  const asked = { ownerId, projectId, linkId: paused, idempotencyKey: '', bodyHash: Buffer.alloc(0) };
  await assert.rejects(running.projects.remindLink(asked), refusedAs('unprocessable', /^You stopped/));
  assert.equal(await set(personal, true), true, 'both stopped them');
  await assert.rejects(set(personal, false), refusedAs('invalid', /^remindersStopped must stay true\. The person/));
  await assert.rejects(set(sharedLink!.linkId, true), refusedAs('invalid', /shared link/));
  await assert.rejects(set(session(), true), refusedAs('not_found'));
  const other = { ownerId: await newOwner(running), projectId, linkId: plain, remindersStopped: true };
  await assert.rejects(running.projects.updateLink(other), refusedAs('not_found'));
  assert.equal(await set(paused, false, { metadata: { metadata: { team: 'N' } } }), false);
  for (const days of [3, 7]) await sweepIn(days * DAY_MS + 2 * HOUR_MS);
  assert.deepEqual(await remindersOf([paused, personal, plain]), [[1], [], [1, 2]], 'only the later time');
});

test('an owner reminds one person now, unless that person has sent a clip', async () => {
  const { project, uniqueLinks, sharedLink } = await newProjectWithoutExpiry({
    count: 2,
    settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 2 },
  });
  const { projectId, ownerId } = project!;
  const [one, other] = uniqueLinks.map(({ linkId }) => linkId) as [string, string];
  const ask = (linkId: string) =>
    running.projects.remindLink({ ownerId, projectId, linkId, idempotencyKey: '', bodyHash: Buffer.alloc(0) });
  assert.equal((await ask(one)).link!.remindersSent, 1);
  await assert.rejects(ask(one), refusedAs('too_many'));
  assert.deepEqual(await remindersOf([one]), [[1]]);
  const id = session();
  await begin(running, other, id);
  await land(running, other, id);
  for (const linkId of [other, sharedLink!.linkId]) await assert.rejects(ask(linkId), refusedAs('unprocessable'));
  await assert.rejects(ask(session()), refusedAs('not_found'));
  await running.projects.setProjectClosed({ ownerId, projectId, closed: true });
  await assert.rejects(ask(one), refusedAs('unprocessable'));
});
