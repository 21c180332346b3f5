import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ensureStandardWebhooks } from '@recording-request/stack/install/standardwebhooks';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { ok } from '@recording-request/testing/http-client';
import { until } from '@recording-request/testing/wait';
import { type Receiver, startReceiver } from '@recording-request/testing/webhook-receiver';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { readCsv, readZip } from '../harness/python.ts';
import type { SchemathesisRun } from '../harness/schemathesis.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';
import { openShell } from '../harness/shell.ts';

const BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
const TYPESCRIPT = /^```ts\n([\s\S]*?)^```$/gm;
const PYTHON = /^```python\n([\s\S]*?)^```$/gm;
// As a receiver uses the two functions.
const VERDICTS = `
import base64, json, sys
verdicts = []
for case in json.load(sys.stdin):
    body, headers, secrets = base64.b64decode(case["body"]), case["headers"], case["secrets"]
    event = event_of(body, headers, secrets[0])
    assert event is None or event["data"]["submission"] is None
    verdicts.append([event and event["type"], is_signed(body, headers, *secrets)])
json.dump(verdicts, sys.stdout)
`;
const PYTHON_MS = 30_000;
const PLACEHOLDER = 'TOKEN=api_...';

/** What the TypeScript of docs.md exports. */
interface Verifier {
  eventOf(body: Buffer, headers: SignedCase['headers'], secret: string): { type: string } | undefined;
  isSigned(body: Buffer, headers: SignedCase['headers'], ...secrets: string[]): boolean;
}

interface SignedCase {
  body: string;
  headers: Record<string, unknown>;
  secrets: string[];
}

/** For each case the kind of the event where the first secret verifies it, and whether one of them signed it. */
async function verdictsOf(blocks: string[], cases: SignedCase[]): Promise<[string | null, boolean][]> {
  const { command, env } = await ensureStandardWebhooks({ env: process.env, log: () => {} });
  const child = spawn(command, ['-c', [...blocks, VERDICTS].join('\n')], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: PYTHON_MS,
  });
  child.stdin.end(JSON.stringify(cases));
  return JSON.parse(await readText(child.stdout));
}

/** The interface as it describes itself: a document that holds under Schemathesis, and commands that run when pasted. */
export function descriptions(seed: SeedData, runSchemathesis: () => Promise<SchemathesisRun>): void {
  const { ask, ada, system } = seed;

  describe('descriptions', () => {
    test('openapi.json is 3.1, of version 1.0.0, for this address', async () => {
      const { openapi, info, servers } = ok(await ask('/api/openapi.json'));
      assert.deepEqual([openapi, info.version, servers[0].url], ['3.1.0', '1.0.0', system.baseUrl]);
    });

    test('every check of Schemathesis holds', async t => {
      const { code, cases, output } = await runSchemathesis();
      t.diagnostic(cases);
      assert.equal(code, 0, output);
      assert.match(cases, /^\d{4,} generated, \d+ passed/);
    });

    test('the commands of docs.md run as pasted, from the token to the ZIP', async () => {
      const docs = await ask('/api/docs.md');
      assert.equal(docs.headers.get('content-type'), 'text/markdown; charset=utf-8');
      const blocks = [...docs.text().matchAll(BLOCK)].map(([, lines]) => lines!);
      assert.ok(blocks[0]!.includes(PLACEHOLDER));
      blocks[0] = blocks[0]!.replace(PLACEHOLDER, `TOKEN=${ada.token}`);
      const fetching = blocks.findIndex(lines => lines.includes('/submissions?'));
      assert.ok(fetching > 0 && blocks.length >= 5);

      const cwd = join(system.scratch, 'pasted');
      await mkdir(cwd);
      const shell = openShell(cwd);
      try {
        for (const [index, lines] of blocks.entries()) {
          if (index === fetching) await contribute(cwd);
          assert.ok(
            (await shell.paste(lines)).trim().length > 0 || lines.includes(' -o') || lines.includes('-OJ'),
            lines,
          );
        }
      } finally {
        await shell.close();
      }
      await look(cwd);
    });

    test('the Python and the TypeScript of docs.md verify a test event, in a change of the secret with either', async () => {
      await using receiver = await startReceiver();
      const json = { projectName: 'Verified', count: 1, webhookUrl: receiver.url };
      const [older, old] = ['any words, ümlauts too', `whsec_${randomBytes(24).toString('base64')}`];
      const { projectId } = await ada.createProject({ ...json, webhookSecret: older });
      const path = `/api/projects/${projectId}`;
      const plain = await testEvent(receiver, path);
      ok(await ada.ask(path, { method: 'PATCH', json: { webhookSecret: old } }));
      const encoded = await testEvent(receiver, path);
      const forged = { ...encoded, body: Buffer.from('{}').toString('base64') };

      const docs = (await ask('/api/docs.md')).text();
      const blocks = [...docs.matchAll(PYTHON)].map(([, lines]) => lines!);
      assert.equal(blocks.length, 2);
      const cases: SignedCase[] = [
        { ...plain, secrets: [older] },
        { ...encoded, secrets: [old] },
        { ...encoded, secrets: [older] },
        { ...encoded, secrets: [older, old] },
        { ...encoded, secrets: ['another'] },
        { ...forged, secrets: [old] },
      ];
      const verdicts = await verdictsOf(blocks, cases);
      const expected = [
        ['webhook.test', true],
        ['webhook.test', true],
        ['webhook.test', false],
        ['webhook.test', true],
        [null, false],
        [null, false],
      ];
      assert.deepEqual(verdicts, expected);
      const { eventOf, isSigned } = await typescriptOf(docs);
      const same = cases.map(({ body, headers, secrets }) => {
        const bytes = Buffer.from(body, 'base64');
        return [eventOf(bytes, headers, secrets[0]!)?.type ?? null, isSigned(bytes, headers, ...secrets)];
      });
      assert.deepEqual(same, expected, 'in TypeScript');
    });
  });

  /** What an endpoint got of a test event, as its bytes and headers came. */
  async function testEvent(receiver: Receiver, path: string) {
    const before = receiver.received.length;
    assert.equal(ok(await ada.ask(`${path}/webhook-test`, { method: 'POST' })).state, 'delivered');
    const { body, headers } = receiver.received[before]!;
    return { body: body.toString('base64'), headers };
  }

  /** The functions of docs.md, run as they stand there but for where the library is. */
  async function typescriptOf(docs: string): Promise<Verifier> {
    const blocks = [...docs.matchAll(TYPESCRIPT)].map(([, lines]) => lines!);
    assert.equal(blocks.length, 2);
    const file = join(system.scratch, 'verify.ts');
    await writeFile(
      file,
      blocks.join('\n').replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`),
    );
    return import(pathToFileURL(file).href);
  }

  /** Between two commands somebody follows the link that was sent to them. */
  async function contribute(cwd: string): Promise<void> {
    const { projectId, recipientUrls } = JSON.parse(await readFile(join(cwd, 'created.json'), 'utf8'));
    const link = recipientUrls[0].recipientUrl;
    const clip = await testClip({ container: 'webm', text: 'good morning' });
    await sendClip(link, clip, { responseSessionId: await beginResponse(link) });
    await until(
      'the transcript',
      async () => {
        const [found] = await submissionsOf(ada, projectId);
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
  }
}
