import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { httpClient, ok } from '@recording-request/harness/http-client';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import {
  endOfReceiver,
  pythonVerdicts,
  type SignedCase,
  startReceiverOf,
  typescriptVerdicts,
  writePrograms,
} from '../harness/docs-programs.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { PNG } from '../harness/picture.ts';
import { readCsv, readZip } from '../harness/python.ts';
import { submissionsOf } from '../harness/seed.ts';
import { openShell } from '../harness/shell.ts';

const BLOCK = /^```sh\n([\s\S]*?)^```$/gm;

/** Runs the commands of docs.md and of the guides that continue it, and the programs that verify webhooks. */
export function docsCommands({ system, owner }: { system: TestSystem; owner: Owner }): void {
  const ask = httpClient(system.baseUrl);

  describe('docs.md and its guides', () => {
    test('the commands of docs.md and of the guides that continue it run as pasted, from the token to the ZIP', async () => {
      const docs = await ask('/api/docs.md');
      assert.equal(docs.headers.get('content-type'), 'text/markdown; charset=utf-8');
      const guides = ['people', 'webhooks', 'agents'].map(async name => (await ask(`/api/docs/${name}.md`)).text());
      const pages = [docs.text(), ...(await Promise.all(guides))];
      const blocks = pages.flatMap(page => [...page.matchAll(BLOCK)].map(([, lines]) => lines!));
      const fetching = blocks.findIndex(lines => lines.includes('/submissions?'));
      assert.ok(fetching > 0 && blocks.length >= 5);

      const cwd = join(system.scratch, 'pasted');
      await mkdir(cwd);
      await writeFile(join(cwd, 'logo.png'), PNG);
      const shell = openShell(cwd);
      try {
        // `npm start` prints such a line. The documented commands do not replace a token that is already set.
        await shell.paste(`export TOKEN=${owner.token}`);
        for (const [index, lines] of blocks.entries()) {
          if (index === fetching) await contribute(cwd);
          assert.ok((await shell.paste(lines)).trim().length > 0 || /^save /m.test(lines), lines);
        }
      } finally {
        await shell.close();
      }
      await look(cwd);
    });

    test('the Python and TypeScript of the guide verify a test event, during a change of secret with either secret', async () => {
      await using receiver = await startReceiver();
      const json = { projectName: 'Verified', count: 1, webhookUrl: receiver.url };
      const [older, old] = ['any words, ümlauts too', `whsec_${randomBytes(24).toString('base64')}`];
      const { projectId } = await owner.createProject({ ...json, webhookSecret: older });
      const path = `/api/projects/${projectId}`;
      const plain = await testEvent(receiver, path);
      ok(await owner.ask(path, { method: 'PATCH', json: { webhookSecret: old } }));
      const encoded = await testEvent(receiver, path);
      const forged = { ...encoded, body: Buffer.from('{}').toString('base64') };

      const cases: SignedCase[] = [
        { ...plain, secrets: [older] },
        { ...encoded, secrets: [old] },
        { ...encoded, secrets: [older] },
        { ...encoded, secrets: [older, old] },
        { ...encoded, secrets: ['another'] },
        { ...forged, secrets: [old] },
      ];
      const folder = await programs();
      const expected = [
        ['webhook.test', true],
        ['webhook.test', true],
        ['webhook.test', false],
        ['webhook.test', true],
        [null, false],
        [null, false],
      ];
      assert.deepEqual(await pythonVerdicts(folder, cases), expected);
      assert.deepEqual(await typescriptVerdicts(folder, cases), expected, 'in TypeScript');
    });

    test('the receivers of the guide accept a test event and refuse an unsigned request', async () => {
      const folder = await programs();
      const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
      for (const file of ['receive-webhooks.mts', 'receive_webhooks.py', 'receive-with-client.mts']) {
        await using running = await startReceiverOf(folder, file, webhookSecret);
        const webhookUrl = running.url;
        await until(`${file} refuses`, async () => {
          const answer = await fetch(webhookUrl, { method: 'POST', body: '{}' }).catch(() => undefined);
          return answer?.status === 401;
        });
        const { projectId } = await owner.createProject({ projectName: file, count: 1, webhookUrl, webhookSecret });
        const sent = ok(await owner.ask(`/api/projects/${projectId}/webhook-test`, { method: 'POST' }));
        assert.equal(sent.state, 'delivered', `${file}: ${JSON.stringify(sent)}`);
        await until(`${file} prints both`, async () =>
          /^refused: .*\n(?:.*\n)*\w+ \S+ webhook\.test$/m.test(running.printed()),
        );
        const { code, messages } = await endOfReceiver(folder, file);
        assert.deepEqual([code, messages.trim()], [1, 'Set WEBHOOK_SECRET to the webhookSecret of the project.'], file);
      }
    });
  });

  /** Sends a test event. Returns the bytes and headers that the endpoint received. */
  async function testEvent(receiver: Receiver, path: string) {
    const before = receiver.received.length;
    assert.equal(ok(await owner.ask(`${path}/webhook-test`, { method: 'POST' })).state, 'delivered');
    const { body, headers } = receiver.received[before]!;
    return { body: body.toString('base64'), headers };
  }

  let written: Promise<string> | undefined;
  /** Returns the folder of the programs of the guide about webhooks. */
  function programs(): Promise<string> {
    written ??= ask('/api/docs/webhooks.md').then(async guide => {
      const folder = join(system.scratch, 'programs');
      const names = await writePrograms(guide.text(), folder);
      assert.equal(names.length, 7, 'three programs in each of two languages, and one with the client');
      return folder;
    });
    return written;
  }

  /** Plays a contributor who opens the link between two commands. */
  async function contribute(cwd: string): Promise<void> {
    const { projectId, recipientUrls } = JSON.parse(await readFile(join(cwd, 'created.json'), 'utf8'));
    const link = recipientUrls[0].recipientUrl;
    const clip = await testClip({ container: 'webm', text: 'good morning' });
    await sendClip(link, clip, { responseSessionId: await beginResponse(link) });
    await until(
      'the transcript',
      async () => {
        const [found] = await submissionsOf(owner, projectId);
        return found?.transcriptStatus === 'completed' && found.mediaStatus === 'ready';
      },
      SYSTEM_WAIT,
    );
  }

  async function look(cwd: string): Promise<void> {
    const names = await readdir(cwd);
    const file = async (suffix: string) => {
      const name = names.find(each => each.endsWith(suffix));
      assert.ok(name, `no ${suffix} among ${names.join(', ')}`);
      return readFile(join(cwd, name));
    };
    const { bad, entries } = await readZip(system.scratch, await file('project.zip'));
    assert.equal(bad, null);
    assert.equal(entries.filter(each => each.name.startsWith('videos/')).length, 1);
    assert.equal((await readCsv(system.scratch, await file('submissions.csv'))).length, 1);
    assert.equal(JSON.parse((await file('export.json')).toString()).submissions.length, 1);
    assert.equal((await file('.webm')).readUInt32BE(0), 0x1a45dfa3);
    assert.equal((await file('qr.png')).subarray(1, 4).toString(), 'PNG');
    await file('transcripts.txt');
    for (const state of ['invited', 'opened', 'recording'])
      assert.match((await file(`${state}.csv`)).toString(), /^"?name"?,"?reference"?/, state);
  }
}
