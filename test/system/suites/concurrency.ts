import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, ok, refused } from '@recording-request/harness/http-client';
import { until } from '@recording-request/testing/wait';
import type { SeedData } from '../harness/seed.ts';

const TOKEN_MEMORY_MS = 5_000;
const TRIES = 10;

const times = <T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** Retries a call that returns 503, so that the tests count only decisions. */
async function decided(call: () => Promise<Answer>): Promise<Answer> {
  for (let left = TRIES; ; left--) {
    const answer = await call();
    if (answer.status !== 503 || left === 1) return answer;
    await pause(1_000);
  }
}

/** Tests limits under concurrent requests. */
export function concurrency({ ada, ask, system }: SeedData): void {
  describe('concurrency', () => {
    test('of 200 claims on a shared link with 50 uses exactly 50 succeed', async () => {
      const settings = { projectName: 'Claims', count: 1, sharedLinkEnabled: true, sharedLinkMaxUses: 50 };
      const { projectId, sharedLink } = await ada.createProject(settings);
      const path = `${new URL(sharedLink!.recipientUrl).pathname}/responses`;
      const sessions = Array.from({ length: 200 }, () => randomUUID());
      const claim = (at: number) =>
        decided(() => ask(path, { method: 'POST', json: { responseSessionId: sessions[at] } }));
      const answers = await times(200, claim);
      assert.equal(answers.filter(each => each.status === 201).length, 50);
      for (const answer of answers.filter(each => each.status !== 201)) refused(answer, 409, 'link_busy');
      // Repeats the same claims. Each session must keep its use, and no use may be added.
      const again = await times(200, claim);
      assert.deepEqual(
        again.map(each => each.status),
        answers.map(each => each.status),
      );
      const { stats } = ok(await ada.ask(`/api/projects/${projectId}`));
      assert.equal(stats.responseSlotsUsed, 50);
      assert.equal(stats.sharedUsesRemaining, 0);
    });

    test('50 concurrent creations do not exceed an allowance', async () => {
      const eve = await system.newOwner('Eve', 61);
      const json = { projectName: 'Edge', count: 1, sharedLinkEnabled: true, sharedLinkMaxUses: 2 };
      const answers = await times(50, () => eve.ask('/api/projects', { method: 'POST', json }));
      const made = answers.filter(each => each.status === 200);
      assert.equal(made.length, 20);
      for (const answer of answers.filter(each => each.status !== 200)) refused(answer, 403, 'allowance_exceeded');
      const me = ok(await eve.ask('/api/me'));
      assert.deepEqual([me.videosReserved, me.remainingVideos], [60, 1]);
      assert.equal(ok(await eve.ask('/api/projects')).projects.length, 20);
    });

    test('50 concurrent updates do not exceed an allowance', async () => {
      const finn = await system.newOwner('Finn', 100);
      const settings = { projectName: 'Grows', count: 1, sharedLinkEnabled: true, sharedLinkMaxUses: 1 };
      const projects = await times(10, () => finn.createProject(settings));
      const patch = { method: 'PATCH', json: { sharedLinkMaxUses: 21 } };
      const answers = await times(50, at =>
        decided(() => finn.ask(`/api/projects/${projects[at % 10]!.projectId}`, patch)),
      );
      for (const answer of answers.filter(each => each.status !== 200)) refused(answer, 403, 'allowance_exceeded');
      const { projects: after } = ok(await finn.ask('/api/projects'));
      const capacity = after.reduce(
        (sum: number, each: { stats: { totalResponseCapacity: number } }) => sum + each.stats.totalResponseCapacity,
        0,
      );
      const me = ok(await finn.ask('/api/me'));
      assert.equal(me.videosReserved, capacity);
      assert.equal(capacity, 100, 'four of them grow by twenty');
    });

    test('50 posts with one Idempotency-Key create one project; a repeat gets its answer', async () => {
      const gus = await system.newOwner('Gus');
      const post = (json: unknown, key: string) =>
        gus.ask('/api/projects', { method: 'POST', json, headers: { 'idempotency-key': key } });
      const json = { projectName: 'Once', count: 2 };
      const answers = await times(50, () => post(json, 'the key'));
      const good = answers.filter(each => each.status === 200);
      assert.ok(good.length > 0);
      for (const answer of answers.filter(each => each.status !== 200)) refused(answer, 409, 'idempotency_key_in_use');
      const first = good[0]!.text();
      for (const each of good) assert.equal(each.text(), first);
      const again = await post(json, 'the key');
      assert.deepEqual([again.text(), again.headers.get('idempotent-replayed')], [first, 'true']);
      assert.equal(ok(await gus.ask('/api/projects')).projects.length, 1);
      refused(await post({ ...json, count: 3 }, 'the key'), 422, 'idempotency_key_reused');
      ok(await post(json, 'another key'));
      assert.equal(ok(await gus.ask('/api/projects')).projects.length, 2);
    });

    test('a revoked token is refused within 5 s', async () => {
      const { secret, tokenId } = await system.accounts.createToken(ada.userId);
      ok(await ada.ask('/api/me', { token: secret }));
      await system.accounts.revoke(tokenId);
      const revokedAt = performance.now();
      // Counts from the time when the request was sent, because a busy machine responds late.
      let lastAccepted = revokedAt;
      const isRefused = async () => {
        const sentAt = performance.now();
        const { status } = await ada.ask('/api/me', { token: secret });
        if (status === 200) lastAccepted = sentAt;
        return status === 401;
      };
      await until('a revoked token to be refused', isRefused, { limitMs: 20_000, everyMs: 150 });
      assert.ok(
        lastAccepted - revokedAt < TOKEN_MEMORY_MS,
        `accepted ${lastAccepted - revokedAt} ms after it was revoked`,
      );
    });
  });
}
