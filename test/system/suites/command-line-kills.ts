import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RecordingRequest, type Submission, unwrap } from '@recording-request/client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { type KillingProxy, startKillingProxy } from '../harness/killing-proxy.ts';
import { inParallel, SYSTEM_WAIT } from '../harness/limits.ts';
import { type RrOptions, rr, startRr } from '../harness/rr.ts';
import type { CommandLineData } from './command-line.ts';

const CLIPS = Number(process.env.RR_CLIPS ?? 6);
const KILLS = Number(process.env.RR_KILLS ?? 5);
const SECRET = `whsec_${Buffer.from('the 32 bytes of a secret, or so.').toString('base64')}`;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Kills `rr pull` and `rr listen` again and again. RR_CLIPS and RR_KILLS make it longer. */
export function commandLineKills({ system, owner, mute }: CommandLineData): void {
  describe(`the command line, killed ${KILLS} times`, () => {
    let scratch: string;
    let proxy: KillingProxy;
    let client: RecordingRequest;
    let options: RrOptions;
    let projectId: string;
    let link: string;
    before(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'recording-request-rr-'));
      proxy = await startKillingProxy(system.baseUrl);
      client = new RecordingRequest({ baseUrl: system.baseUrl, token: owner.token });
      options = {
        cwd: scratch,
        env: {
          ...{ RR_BASE_URL: proxy.url, RR_TOKEN: owner.token, RR_WEBHOOK_SECRET: SECRET },
          ...{ XDG_CONFIG_HOME: scratch, XDG_STATE_HOME: scratch },
        },
      };
      const project = await owner.createProject({
        ...{ projectName: 'Killed', count: 1, sharedLinkEnabled: true, sharedLinkMaxUses: CLIPS + 10 },
        ...{ acceptReference: true },
      });
      projectId = project.projectId;
      link = project.sharedLink!.recipientUrl;
      await inParallel([...Array(CLIPS).keys()], 3, land);
      await settled();
    });
    after(async () => {
      await proxy[Symbol.asyncDispose]();
      await rm(scratch, { recursive: true, force: true });
    });

    async function land(): Promise<string> {
      return sendClip(link, mute, { responseSessionId: await beginResponse(link) });
    }
    const clips = (): Promise<Submission[]> => client.submissions.list(projectId).all(10_000);
    const settled = () =>
      until(
        'the media of every clip',
        async () => (await clips()).every(({ mediaStatus }) => mediaStatus === 'ready'),
        SYSTEM_WAIT,
      );
    /** Fails unless the folder has exactly the clips and the table of the server. */
    async function isMirror(dir: string): Promise<void> {
      const files = (await readdir(join(scratch, dir), { recursive: true, withFileTypes: true }))
        .filter(file => file.isFile() && !file.parentPath.includes('.rr'))
        .map(file => join(file.parentPath, file.name));
      const here = new Map<string, string>();
      for (const file of files) here.set(file, hashOf(await readFile(file)));
      const table = join(scratch, dir, 'submissions.csv');
      assert.equal(here.get(table), hashOf(await client.exports.csv(projectId).bytes()), 'the table differs');
      here.delete(table);
      const there: string[] = [];
      for (const { submissionId } of await clips()) {
        const { sha256 } = await client.submissions.video(projectId, submissionId).info();
        there.push(`${submissionId} ${sha256}`);
      }
      const found = [...here].map(([file, hash]) => `${/[0-9a-f-]{36}(?=\.\w+$)/.exec(file)?.[0]} ${hash}`);
      assert.deepEqual(found.sort(), there.sort());
    }

    test('rr pull ends identical to the server', async () => {
      const args = ['pull', projectId, 'mirror', '--by', 'date'];
      proxy.pieceBytes = 512;
      let kills = 0;
      for (; kills < KILLS; kills++) {
        const pulling = startRr(args, options);
        // Each run gets a little further, and is killed in the middle of a video.
        proxy.after(mute.bytes.length * 0.7, /\/video$/, () => pulling.child.kill('SIGKILL'));
        const { code, stderr } = await pulling.done;
        if (code !== null) {
          assert.equal(code, 0, stderr);
          break;
        }
      }
      assert.ok(kills >= Math.min(KILLS, CLIPS / 2), `only ${kills} runs were killed`);
      const last = await rr([...args, '--json'], options);
      assert.equal(last.code, 0, last.stderr);
      await isMirror('mirror');
      const again = JSON.parse((await rr([...args, '--json'], options)).stdout);
      assert.deepEqual(again, { clips: CLIPS, changed: 0, removed: 0, bytes: 0 });
    });

    test('rr pull repairs, moves and erases files, and keeps foreign ones', async () => {
      await writeFile(join(scratch, 'mirror', 'own.txt'), 'mine');
      const [first, second] = await clips();
      const erased = first!.submissionId;
      const { confirm } = await client.submissions.erase(projectId, erased);
      await client.submissions.erase(projectId, erased, { confirm: confirm! });
      const files = await readdir(join(scratch, 'mirror'), { recursive: true });
      await writeFile(join(scratch, 'mirror', files.find(file => file.includes(second!.submissionId))!), 'damaged');
      const kept = await rr(['pull', projectId, 'mirror', '--by', 'date', '--keep-erased', '--json'], options);
      assert.deepEqual([kept.code, JSON.parse(kept.stdout).changed, JSON.parse(kept.stdout).removed], [0, 1, 1]);
      assert.ok((await readdir(join(scratch, 'mirror'), { recursive: true })).some(file => file.includes(erased)));
      const flat = await rr(['pull', projectId, 'mirror', '--json'], options);
      assert.deepEqual([flat.code, JSON.parse(flat.stdout).bytes], [0, 0], 'files are moved, not fetched again');
      assert.equal(await readFile(join(scratch, 'mirror', 'own.txt'), 'utf8'), 'mine');
      await rm(join(scratch, 'mirror', 'own.txt'));
      await isMirror('mirror');
    });

    test('two rr pull into one folder: one works, the other refuses', async () => {
      const other = await owner.createProject({ projectName: 'Other', count: 1 });
      const [clip] = await clips();
      proxy.pieceBytes = 64;
      const reached = Promise.withResolvers<void>();
      proxy.after(1, /\/video$/, reached.resolve);
      const first = startRr(['pull', projectId, 'shared', '--by', 'reference'], options);
      await reached.promise;
      first.child.kill('SIGSTOP');
      const second = await rr(['pull', projectId, 'shared'], options);
      assert.equal(second.code, 7);
      assert.match(second.stderr, /Another rr uses the folder/);
      first.child.kill('SIGCONT');
      assert.equal((await first.done).code, 0);
      const foreign = await rr(['pull', other.projectId, 'shared'], options);
      assert.equal(foreign.code, 7);
      assert.match(foreign.stderr, /has the clips of the project/);
      assert.ok(
        (await readdir(join(scratch, 'shared', 'no reference'))).some(name => name.includes(clip!.submissionId)),
      );
    });

    test('rr pull explains a full disk, and ends by Ctrl-C, without half a file', async () => {
      proxy.pieceBytes = 512;
      // 512-byte blocks: the journal fits, a clip does not.
      const full = await rr(['pull', projectId, 'full'], { ...options, shell: 'ulimit -f 2' });
      assert.equal(full.code, 7, full.stderr);
      assert.match(full.stderr, /larger than the system allows/);
      const stopped = startRr(['pull', projectId, 'full'], options);
      proxy.after(600, /\/video$/, () => stopped.child.kill('SIGINT'));
      assert.equal((await stopped.done).code, 130);
      const { code, stderr } = await rr(['pull', projectId, 'full'], options);
      assert.equal(code, 0, stderr);
      await isMirror('full');
    });

    test('rr pull --watch follows new and erased clips', async () => {
      const watching = startRr(['pull', projectId, 'mirror', '--watch', '--interval', '1', '--json'], options);
      const has = async (id: string) => (await readdir(join(scratch, 'mirror'))).some(name => name.includes(id));
      const landed = await land();
      await until('the new clip', () => has(landed), SYSTEM_WAIT);
      const { confirm } = await client.submissions.erase(projectId, landed);
      await client.submissions.erase(projectId, landed, { confirm: confirm! });
      await until('the erasure', async () => !(await has(landed)), SYSTEM_WAIT);
      watching.child.kill('SIGINT');
      assert.equal((await watching.done).code, 130);
    });

    test('rr listen forwards each event at least once and in order, signed as a webhook', async () => {
      await using receiver = await startReceiver();
      const args = [
        'listen',
        '--forward-to',
        receiver.url,
        '--cursor-file',
        'events.cursor',
        '--since',
        '1d',
        '--until-idle',
      ];
      const all: { eventId: string; erased: boolean }[] = [];
      for await (const event of client.events({ untilCaughtUp: true })) all.push(event);
      const wanted = all.filter(({ erased }) => !erased).map(({ eventId }) => eventId);
      let kills = 0;
      for (; kills < KILLS; kills++) {
        const listening = startRr(args, options);
        const at = receiver.received.length + 1 + (kills % 3);
        receiver.respond = (_, response) => {
          // The event has arrived but its answer has not: it comes again.
          if (receiver.received.length >= at) listening.child.kill('SIGKILL');
          else response.writeHead(204).end();
        };
        const { code, stderr } = await listening.done;
        if (code !== null) {
          assert.equal(code, 0, stderr);
          break;
        }
      }
      assert.ok(kills >= Math.min(KILLS, 3), `only ${kills} runs were killed`);
      let refusals = 2;
      receiver.respond = (_, response) => response.writeHead(refusals-- > 0 ? 500 : 204).end();
      const last = await rr(args, options);
      assert.equal(last.code, 0, last.stderr);
      const received: string[] = [];
      for (const { body, headers } of receiver.received) received.push((await unwrap(body, headers, SECRET)).id);
      assert.deepEqual([...new Set(received)], wanted);
      assert.ok(received.length > wanted.length, 'events whose answer was lost come again');
    });

    test('rr listen forwards the same bytes as a webhook', async () => {
      await using hook = await startReceiver();
      await using local = await startReceiver();
      await client.projects.update(projectId, { webhookUrl: hook.url, webhookSecret: SECRET });
      const listening = startRr(['listen', '--forward-to', local.url, '--types', 'submission.completed'], options);
      await until('rr listens', () => /Listening/.test(listening.stderr()), SYSTEM_WAIT);
      await land();
      const [[sent], [forwarded]] = await Promise.all([hook.waitFor(1), local.waitFor(1)]);
      listening.child.kill('SIGINT');
      await listening.done;
      assert.equal(forwarded!.body.toString(), sent!.body.toString());
      for (const name of ['service-event', 'service-event-id', 'service-signature', 'webhook-id', 'content-type'])
        assert.equal(forwarded!.headers[name], sent!.headers[name], name);
    });
  });
}
