import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import { ok, refused } from '@recording-request/harness/http-client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';

/** Tests the feed of an owner's events. */
export function events({ ada, bob, full, clip, mute }: SeedData): void {
  const read = async (owner: typeof ada, query = ''): Promise<OwnerEventsPageJson> =>
    ok(await owner.ask(`/api/events?limit=200${query}`));
  const land = async (link: string) => await sendClip(link, mute, { responseSessionId: await beginResponse(link) });

  describe('the feed of events', () => {
    test('has the events of a clip, with the data of their webhooks', async () => {
      await using receiver = await startReceiver();
      const { projectId, recipientUrls } = await ada.createProject({
        ...{ projectName: 'Fed', count: 1, webhookUrl: receiver.url, webhookEvents: ['response.completed'] },
      });
      const { nextCursor: start } = await read(ada, '&projectId=00000000-0000-7000-8000-000000000000');
      const submissionId = await land(recipientUrls[0]!.recipientUrl);
      const received = await receiver.waitFor(2);
      const ids = received.map(({ body }) => JSON.parse(body.toString()).id);
      const mine = `&projectId=${projectId}&after=${start}`;
      const found = await until(
        'the events',
        async () => {
          const { events } = await read(ada, mine);
          return ids.every(id => events.some(({ eventId }) => eventId === id)) && events;
        },
        SYSTEM_WAIT,
      );
      for (const { body } of received) {
        const { id, type, createdAt, data } = JSON.parse(body.toString());
        const event = found.find(({ eventId }) => eventId === id);
        assert.deepEqual(event && { ...event, submissionId: null }, {
          ...{ eventId: id, type, createdAt, projectId, submissionId: null, tokenId: recipientUrls[0]!.tokenId },
          ...{ erased: false, data },
        });
      }
      const [completed] = found.filter(({ type }) => type === 'submission.completed');
      assert.equal(completed?.submissionId, submissionId);
      const { events: only } = await read(ada, `${mine}&types=response.completed,webhook.failing`);
      assert.deepEqual(
        only.map(({ type, submissionId: about }) => [type, about]),
        [['response.completed', null]],
      );
    });

    test('has the events of a project without webhookUrl, to a request that waits', async () => {
      const { projectId, recipientUrls } = await ada.createProject({ projectName: 'Silent', count: 1 });
      const filter = `types=submission.completed&projectId=${projectId}`;
      const { nextCursor } = await read(ada, `&${filter}&since=${new Date().toISOString()}`);
      const waiting = ada.ask(`/api/events?${filter}&wait=25&after=${nextCursor}`);
      const submissionId = await land(recipientUrls[0]!.recipientUrl);
      const page: OwnerEventsPageJson = ok(await waiting);
      assert.deepEqual(
        page.events.map(event => event.submissionId),
        [submissionId],
      );
    });

    test('page by page, a reader sees each event once and in the same order', async () => {
      const { events } = await read(ada);
      assert.ok(
        events.some(({ submissionId, type }) => submissionId === clip.submissionId && type.includes('transcript')),
      );
      const seen: string[] = [];
      for (let after = '', isLast = false; !isLast; ) {
        const page: OwnerEventsPageJson = ok(await ada.ask(`/api/events?limit=2${after && `&after=${after}`}`));
        seen.push(...page.events.map(({ eventId }) => eventId));
        ({ nextCursor: after, caughtUp: isLast } = page);
      }
      assert.deepEqual(
        seen.slice(0, events.length),
        events.map(({ eventId }) => eventId),
      );
      assert.equal(new Set(seen).size, seen.length);
    });

    test('shows nothing of another owner, and refuses wrong values', async () => {
      const { events, nextCursor } = await read(bob);
      assert.ok(events.length > 0 && events.every(({ projectId }) => projectId !== full.projectId));
      assert.deepEqual((await read(bob, `&projectId=${full.projectId}`)).events, []);
      refused(await ada.ask(`/api/events?after=${nextCursor}`), 400, 'value_invalid');
      for (const query of ['wait=26', 'wait=-1', 'limit=0', 'limit=201', 'types=x', 'types=', 'since=today', 'after='])
        refused(await ada.ask(`/api/events?${query}`), 400, 'value_invalid');
      refused(await ada.ask('/api/events?cursor=x'), 400, 'filter_unknown');
      const own = (await read(ada)).nextCursor;
      refused(await ada.ask(`/api/events?after=${own}&since=2026-01-01T00:00:00Z`), 400, 'value_invalid');
    });
  });
}
