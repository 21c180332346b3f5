import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type FeedEvent, unwrap } from '@recording-request/client';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { rr } from '../harness/rr.ts';
import { killAgain, share, soon, whileStarting } from '../harness/rr-kills.ts';
import { openRrProject, type RrProject, type RrProjectOptions, SECRET } from '../harness/rr-project.ts';

const VIDEO = /\/video$/;
const ANY = /./;

export interface KillCounts {
  clips: number;
  kills: number;
}

/** Kills `rr pull` and `rr listen` repeatedly at random moments. */
export function commandLineKills(data: RrProjectOptions, { clips: CLIPS, kills: KILLS }: KillCounts): void {
  describe(`the command line, killed ${KILLS} times with ${CLIPS} clips`, () => {
    let work: RrProject;
    before(async () => {
      work = await openRrProject({ ...data, settings: { transcriptionEnabled: true } });
      await work.land(CLIPS);
    });
    after(() => work[Symbol.asyncDispose]());

    test('rr pull, killed at random moments, ends identical to the server', async t => {
      const { proxy, client, projectId, scratch, mirror, options } = work;
      const args = ['pull', projectId, 'mirror', '--by', 'date'];
      const folder = join(scratch, 'mirror');
      proxy.pieceBytes = 512;
      let bytes = await videoBytes();
      let more = 0;
      const runs = await killAgain(args, options, {
        times: KILLS,
        aim(kill, left) {
          const chance = randomInt(10);
          if (chance === 0) return whileStarting(kill);
          // Some kills may also fall within lists and tables. All other kills fall within the videos: each run downloads
          // only a share of the remaining bytes, so that some are left for the last run.
          if (chance <= 2) return proxy.after(share(20_000, 1), ANY, () => soon(kill));
          return proxy.after(share(bytes - proxy.answered(VIDEO), left), VIDEO, () => soon(kill));
        },
        async more(left) {
          more += (await work.land(Math.ceil(left / 2))).length;
          bytes = await videoBytes();
        },
        check: () => mirror.isWhole(folder, 'date'),
      });
      t.diagnostic(`${KILLS} of ${runs} runs of rr pull were killed; ${CLIPS + more} clips, ${bytes} bytes of video`);
      const last = await rr([...args, '--json'], options);
      assert.equal(last.code, 0, last.stderr);
      await mirror.isSame(folder, 'date');
      const again = JSON.parse((await rr([...args, '--json'], options)).stdout);
      assert.deepEqual(again, { clips: CLIPS + more, changed: 0, removed: 0, bytes: 0 });

      async function videoBytes(): Promise<number> {
        const clips = await work.clips();
        const { size } = await client.submissions.video(projectId, clips[0]!.submissionId).info();
        return size! * clips.length;
      }
    });

    test('rr pull, stopped by Ctrl-C at random moments, returns 130 and leaves no half file', async () => {
      const { proxy, projectId, scratch, mirror, options } = work;
      const folder = join(scratch, 'stopped');
      await killAgain(['pull', projectId, 'stopped', '--by', 'reference'], options, {
        ...{ times: Math.ceil(KILLS / 2), signal: 'SIGINT', code: 130 },
        aim(kill) {
          if (randomInt(5) === 0) return whileStarting(kill);
          return proxy.after(share(20_000, 1), randomInt(2) === 0 ? ANY : VIDEO, () => soon(kill));
        },
        more: () => work.land(1),
        check: () => mirror.isWhole(folder, 'reference'),
      });
      const last = await rr(['pull', projectId, 'stopped', '--by', 'reference'], options);
      assert.equal(last.code, 0, last.stderr);
      await mirror.isSame(folder, 'reference');
    });

    test('rr listen, killed at random moments, forwards each event at least once and in order', async t => {
      await using receiver = await startReceiver();
      const ids = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
      const args = ['listen', '--forward-to', receiver.url, '--cursor-file', 'events.cursor', '--since', '1d'];
      let wanted = await events();
      const runs = await killAgain([...args, '--until-idle'], work.options, {
        times: KILLS,
        aim(kill, left) {
          if (randomInt(10) === 0) return whileStarting(kill);
          const at = receiver.received.length + share(wanted.length - new Set(ids()).size, left);
          return killAtEvent(receiver, at, kill);
        },
        async more(left) {
          await change(2 * left);
          wanted = await events();
        },
      });
      receiver.respond = (_, response) => response.writeHead(204).end();
      const last = await rr([...args, '--until-idle'], work.options);
      assert.equal(last.code, 0, last.stderr);
      wanted = await events();
      const got = ids().map(id => wanted.indexOf(id));
      const repeated = got.filter((at, i) => at === got[i - 1]).length;
      t.diagnostic(
        `${KILLS} of ${runs} runs of rr listen were killed; ${wanted.length} events, ${repeated} came again`,
      );
      // Only the last event before a kill may arrive twice.
      for (const [i, at] of got.entries()) {
        const before = got[i - 1] ?? -1;
        assert.ok(at === before + 1 || (at === before && at >= 0), `event ${at} came after event ${before}`);
      }
      assert.equal(got.at(-1), wanted.length - 1, 'events are missing');
      for (const { body, headers } of receiver.received) await unwrap(body, headers, SECRET);
    });

    /** Returns the ids of the events that were not erased, in the order of the feed. */
    async function events(): Promise<string[]> {
      const all: FeedEvent[] = [];
      for await (const event of work.client.events({ untilCaughtUp: true })) all.push(event);
      return all.filter(({ erased }) => !erased).map(({ eventId }) => eventId);
    }

    /** Causes `count` more events. */
    async function change(count: number): Promise<void> {
      const before = (await events()).length;
      for (let number = 0; number < count; number++)
        await work.client.projects.update(work.projectId, { successMessage: `Thanks ${before + number}` });
      await until('the events', async () => (await events()).length >= before + count, SYSTEM_WAIT);
    }
  });
}

/** Kills after `count` events: before the answer to the last one, or about when the command stores the new cursor. */
function killAtEvent(receiver: Receiver, count: number, kill: () => void): () => void {
  const isAnswered = randomInt(2) === 0;
  let isOver = false;
  receiver.respond = (_, response) => {
    const isLast = receiver.received.length >= count;
    if (!isLast || isAnswered) response.writeHead(204).end();
    if (!isLast || isOver) return;
    isOver = true;
    if (isAnswered) soon(kill);
    else kill();
  };
  return () => {
    isOver = true;
  };
}
