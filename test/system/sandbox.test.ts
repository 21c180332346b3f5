/**
 * Tests sandboxes through HTTP, from their creation to their end. This is a separate file, because its sandboxes end after a
 * minute, and because it kills services.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { OwnerEventJson } from '@recording-request/contract/resources/owner-event';
import { httpClient, ok, refused } from '@recording-request/harness/http-client';
import { createUpload } from '@recording-request/harness/tus';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './harness/limits.ts';

const LIFE_SECONDS = 75;

await using starting = new AsyncDisposableStack();
const system = starting.use(
  await startTestSystem({
    restartable: true,
    env: { SANDBOX_SECONDS: String(LIFE_SECONDS), SWEEP_SECONDS: '1', CLAIM_SWEEP_SECONDS: '1', RETENTION_DAYS: '30' },
  }),
);
const picture = { audio: 'none', width: 64, height: 48, frameRate: 10 } as const;
const mute = await testClip({ container: 'webm', seconds: 1, ...picture });
const long = await testClip({ container: 'webm', seconds: 20, ...picture });
const started = starting.move();
after(() => started.disposeAsync());

const ask = httpClient(system.baseUrl);
const page = async (path: string) =>
  (await ask(path, { headers: { accept: 'text/html', 'accept-language': 'en' } })).text();

test('a sandbox is marked everywhere, uses no allowance, and is gone after its end', async () => {
  const ada = await system.newOwner('Ada', 1);
  const real = await ada.createProject({ projectName: 'Real', count: 1 });
  await using receiver = await startReceiver();
  const { url: webhookUrl } = receiver;
  const made = await ada.createProject({ projectName: 'Trial', count: 2, webhookUrl, sandbox: true });
  assert.deepEqual([made.sandbox, made.maxDurationSec, made.apiUser.reservedVideoCount], [true, 15, 0]);
  assert.ok(made.sandboxEndsAt);
  const [first, second] = made.recipientUrls;
  const path = `/api/projects/${made.projectId}`;
  const patch = (json: object) => ada.ask(path, { method: 'PATCH', json });
  assert.match(refused(await patch({ sandbox: false }), 400), /sandbox/);
  assert.match(refused(await patch({ maxDurationSec: 16 }), 400), /maxDurationSec must be at most 15 in a sandbox/);

  const link = first!.recipientUrl;
  assert.match(await page(new URL(link).pathname), /This is a test: recordings are deleted after a day\./);
  assert.match(await page(new URL(made.dashboardUrl).pathname), /This is a test project\. It is erased/);
  const responseSessionId = await beginResponse(link);
  const metadata = { responseSessionId, filetype: long.mimeType };
  const upload = { metadata, length: long.bytes.length, body: long.bytes };
  const { response } = await createUpload(`${link}/uploads`, upload);
  assert.equal(response.headers.get('error-code'), 'too_long');
  await response.arrayBuffer();
  const submissionId = await sendClip(link, mute, { responseSessionId });

  const document = ok(await ada.ask(`${path}/export.json`));
  assert.deepEqual([document.project.sandbox, document.submissions[0].sandbox], [true, true]);
  assert.ok(document.links.recipientUrls.every(({ sandbox }: { sandbox: boolean }) => sandbox));
  const { projects } = ok(await ada.ask('/api/projects'));
  assert.deepEqual(
    projects.map(({ projectName, sandbox }: { projectName: string; sandbox: boolean }) => [projectName, sandbox]),
    [
      ['Trial', true],
      ['Real', false],
    ],
  );
  assert.equal(JSON.parse((await receiver.waitFor(1))[0]!.body.toString()).data.sandbox, true);
  const feed = async (): Promise<OwnerEventJson[]> => ok(await ada.ask('/api/events?limit=200')).events;
  const landed = await until(
    'the feed has the clip',
    async () => (await feed()).find(each => each.submissionId === submissionId),
    SYSTEM_WAIT,
  );
  assert.equal(landed.data?.sandbox, true);

  await until('the sandbox ends', () => Date.now() > Date.parse(made.sandboxEndsAt!), {
    limitMs: 2 * LIFE_SECONDS * 1_000,
    everyMs: 50,
  });
  for (const service of ['submissions', 'projects'] as const) system.kill(service, 'SIGKILL');
  const isGone = async () => (await ada.ask(path)).status === 404;
  await until('the sandbox is erased', isGone, { limitMs: 180_000, everyMs: 500 });
  refused(await ask(`${new URL(second!.recipientUrl).pathname}/responses`, { method: 'POST', json: {} }), 404);
  refused(await ada.ask(`${path}/submissions/${submissionId}`), 404);
  await until(
    'its events have no data',
    async () => {
      const mine = (await feed()).filter(({ projectId }) => projectId === made.projectId);
      return mine.length > 0 && mine.every(({ erased, data }) => erased && data === null);
    },
    SYSTEM_WAIT,
  );
  const { videosReserved, remainingVideos } = ok(await ada.ask('/api/me'));
  assert.deepEqual([videosReserved, remainingVideos], [1, 0]);
  await beginResponse(real.recipientUrls[0]!.recipientUrl);
});

test('an owner has few sandboxes, and a retention has the limit of the operator', async () => {
  const bob = await system.newOwner('Bob', 0);
  const create = (json: object) =>
    bob.ask('/api/projects', { method: 'POST', json: { projectName: 'x', count: 1, ...json } });
  for (let made = 0; made < 10; made++) ok(await create({ sandbox: true }));
  assert.match(refused(await create({ sandbox: true }), 403, 'sandbox_limit'), /10 sandboxes in a day/);
  refused(await create({}), 403, 'allowance_exceeded');
  assert.match(refused(await create({ sandbox: true, count: 1_001 }), 400), /at most 1,000 clips/);
  const cleo = await system.newOwner('Cleo');
  const { projectId } = await cleo.createProject({ projectName: 'Short', count: 1, retentionDays: 30 });
  const patch = (retentionDays: number | null) =>
    cleo.ask(`/api/projects/${projectId}`, { method: 'PATCH', json: { retentionDays } });
  assert.match(refused(await patch(31), 400), /^retentionDays must be at most 30: /);
  assert.equal(ok(await cleo.ask(`/api/projects/${projectId}`)).retentionDays, 30);
  assert.equal(ok(await patch(1)).retentionDays, 1);
  assert.equal(ok(await patch(null)).retentionDays, null);
  refused(await cleo.ask(`/api/projects/${randomUUID()}`, { method: 'PATCH', json: { retentionDays: 1 } }), 404);
});
