import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@recording-request/proto/events/v1/events';
import { openInbox } from '@recording-request/testing/event-inbox';
import { until } from '@recording-request/testing/wait';
import type { Config } from '../src/config.ts';
import { startService } from '../src/service.ts';
import {
  begin,
  land,
  newProject,
  outcomes,
  PNG,
  patch,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

const changedIn = ({ payload }: Event) => (payload?.$case === 'projectChanged' ? payload.value.changed : undefined);
const linkIn = ({ payload }: Event) => (payload?.value as { linkId?: string } | undefined)?.linkId;

async function inboxOf(running: TestProjects) {
  const inbox = await openInbox(await running.stores.kafka(), 'projects.events');
  const published = () =>
    until('every event is published', async () => (await running.store.outbox.unpublished()).documents === 0, {
      limitMs: 30_000,
    });
  return {
    inbox,
    /**
     * Returns the events of a project so far, in order. Publishes a last event and waits for it, so that none is
     * missing.
     */
    async of(project: { ownerId: string; projectId: string }): Promise<Event[]> {
      await published();
      const last = await running.projects.updateProject(patch(project, { projectName: `last ${session()}` }));
      await published();
      const mine = () =>
        inbox.events.filter(({ payload }) => (payload!.value as typeof project).projectId === project.projectId);
      assert.ok(last.project);
      await until('the last event has arrived', () => changedIn(mine().at(-1)!)?.[0] === 'projectName');
      return mine().slice(0, -1);
    },
  };
}

test('a project and its links publish one event for each change, with ids and names only', async () => {
  await using running = await startTestProjects();
  const { of, inbox } = await inboxOf(running);
  const { projects } = running;
  const { project, uniqueLinks } = await newProject(running, { count: 3, settings: { projectName: 'Secret name' } });
  const { projectId, ownerId } = project!;
  await projects.updateProject(
    patch(project, { noteEnabled: !project!.settings!.noteEnabled, successMessage: 'Thanks' }),
  );
  await projects.updateProject(patch(project, { successMessage: 'Thanks' }));
  await projects.updateProject(patch(project, { timeFactor: 2 }));
  await projects.updateProject(
    patch(project, {
      webhookSecret: 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0',
      expiry: { $case: 'neverExpire', value: true },
    }),
  );
  for (const closed of [true, true, false]) await projects.setProjectClosed({ ownerId, projectId, closed });
  for (const image of [PNG, PNG, Buffer.alloc(0), Buffer.alloc(0)])
    await projects.setLogo({ ownerId, projectId, image });
  const [recorded, disabled, refused] = uniqueLinks.map(({ linkId }) => linkId) as [string, string, string];

  const id = session();
  for (let tries = 0; tries < 3; tries++) await begin(running, recorded, id);
  await projects.renewResponse({ linkId: recorded, responseSessionId: id });
  await land(running, recorded, id);
  await projects.renewResponse({ linkId: recorded, responseSessionId: id });
  for (let tries = 0; tries < 2; tries++) {
    await projects.updateLink({ ownerId, projectId, linkId: disabled, disabled: true });
    await projects.updateLink({ ownerId, projectId, linkId: refused, disabled: true });
  }
  await projects.updateLink({ ownerId, projectId, linkId: refused, disabled: false });
  assert.deepEqual(await outcomes([begin(running, disabled)]), { gone: 1 });

  const events = await of(project!);
  const seen = events.map(event => `${event.type} ${changedIn(event)?.join() ?? linkIn(event)}`);
  assert.deepEqual(
    seen.toSorted(),
    [
      `link.closed ${disabled}`,
      `link.closed ${refused}`,
      `link.recording ${recorded}`,
      'project.created ',
      'project.updated brand',
      'project.updated brand',
      'project.updated closed',
      'project.updated closed',
      'project.updated expiresAt,webhookSecret',
      'project.updated noteEnabled,successMessage',
    ].toSorted(),
  );
  const recording = events.find(({ type }) => type === 'link.recording')!;
  assert.deepEqual(recording.payload!.value, { projectId, ownerId, linkId: recorded, responseSessionId: id });
  assert.ok(!/timeFactor/.test(JSON.stringify(inbox.events)), 'no event says that somebody gets more time');
  assert.ok(!/Secret name|Thanks|whsec/.test(JSON.stringify(inbox.events)), 'no value of an owner is in Kafka');
});

test('responses of a contended shared link publish one event each, and a refused one none', async () => {
  await using running = await startTestProjects();
  const { of } = await inboxOf(running);
  const { project, sharedLink } = await newProject(running, {
    settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 20 },
  });
  const ids = Array.from({ length: 30 }, session);
  const counts = await outcomes(ids.map(id => begin(running, sharedLink!.linkId, id)));
  assert.equal(counts.ok, 20);
  await until('no transfer is under way', async () => {
    const open = await running.store.models.responses.countDocuments({ transfer: { $exists: true } });
    return open === 0;
  });
  const events = (await of(project!)).filter(({ type }) => type === 'link.recording');
  const begun = new Set(
    events.map(({ payload }) => (payload!.value as { responseSessionId: string }).responseSessionId),
  );
  assert.deepEqual([events.length, begun.size], [20, 20]);
});

test('without Kafka requests succeed, and another process publishes their events after a kill', async () => {
  let brokers: string[] | undefined = ['127.0.0.1:1'];
  const start = (config: Config, log: Parameters<typeof startService>[1]) =>
    startService({ ...config, kafkaBrokers: brokers ?? config.kafkaBrokers }, log);
  await using running = await startTestProjects({ LOG_LEVEL: 'silent' }, start);
  const { project, uniqueLinks } = await newProject(running);
  await running.projects.updateProject(patch(project, { successMessage: 'Thanks' }));
  await begin(running, uniqueLinks[0]!.linkId);
  await until('the project and the response carry their events', async () => {
    const { documents, oldest } = await running.store.outbox.unpublished();
    return documents === 2 && oldest !== undefined;
  });
  await running.service.stop();
  brokers = undefined;
  await running.startAnother();
  const inbox = await openInbox(await running.stores.kafka(), 'projects.events');
  await until('the events have arrived', () => inbox.events.length >= 3, { limitMs: 30_000 });
  assert.deepEqual(inbox.events.map(({ type }) => type).sort(), [
    'link.recording',
    'project.created',
    'project.updated',
  ]);
  await until('the outbox is empty', async () => (await running.store.outbox.unpublished()).documents === 0);
});
