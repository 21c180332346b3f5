import assert from 'node:assert/strict';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { ok } from '@recording-request/harness/http-client';
import { beginResponse } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';
import { type Held, type Stores, search } from '../harness/stores.ts';

const WEBHOOK_SECRET = 'the second webhook secret';
const WHSEC = `whsec_${Buffer.from('the third webhook secret').toString('base64')}`;
const TOKEN = /\b(api|prj|vr)_[0-9A-Za-z]{38}/g;

/** Every issued secret, with its kind. */
export type Issued = Map<string, string>;

/** Uses every part of the product that handles secrets, and also causes errors there. Returns each issued secret. */
export async function issueSecrets(seed: SeedData): Promise<Issued> {
  const { ada, bob, full, bare, bobs, system, clip } = seed;
  const issued: Issued = new Map([
    [ada.token, "Ada's API token"],
    [bob.token, "Bob's API token"],
    ['a secret of the test', 'a webhook secret'],
    [WEBHOOK_SECRET, 'a webhook secret that was set later'],
    [WHSEC, 'a whsec_ webhook secret'],
    [WHSEC.slice('whsec_'.length), 'the key in a whsec_ webhook secret'],
  ]);
  const json = { projectName: 'Once', count: 2, sharedLinkEnabled: true, webhookSecret: WHSEC };
  const headers = { 'idempotency-key': 'an audit' };
  const once = ok(await ada.ask('/api/projects', { method: 'POST', json, headers }));
  assert.deepEqual(ok(await ada.ask('/api/projects', { method: 'POST', json, headers })), once);
  for (const project of [full, bare, bobs, once]) {
    issued.set(project.projectToken, 'a dashboard token');
    for (const link of [...project.recipientUrls, ...(project.sharedLink ? [project.sharedLink] : [])])
      issued.set(link.token, 'a recording link');
  }
  const { tokenId, secret } = await system.accounts.createToken(bob.userId);
  issued.set(secret, 'a revoked API token');
  await system.accounts.revoke(tokenId);

  const project = `/api/projects/${full.projectId}`;
  const rotated = ok(await ada.ask(`${project}/dashboard-token`, { method: 'POST' }));
  issued.set(rotated.projectToken, 'a rotated dashboard token');
  ok(await ada.ask(project, { method: 'PATCH', json: { webhookSecret: WEBHOOK_SECRET } }));
  ok(await ada.ask(`${project}/webhook-test`, { method: 'POST' }));
  const files = ['links', 'shared-link/qr.png', 'export.json', 'export/project.zip', 'webhook-deliveries'];
  const media = ['video', 'audio', 'thumbnail-start', 'transcript.vtt'].map(
    file => `submissions/${clip.submissionId}/${file}`,
  );
  for (const path of [...files, ...media]) assert.equal((await ada.ask(`${project}/${path}`)).status, 200, path);
  await beginResponse(full.recipientUrls[1]!.recipientUrl, { termsAccepted: true });
  const [link] = full.recipientUrls;
  for (const token of [rotated.projectToken, full.projectToken]) {
    for (const path of ['', '/export.json', '/submissions', '/nothing']) await seed.ask(`/project/${token}${path}`);
  }
  // A user may also paste a token into a wrong place.
  for (const path of [
    `/r/${link!.token}`,
    `/r/${link!.token}/uploads/${link!.tokenId}`,
    `/r/${link!.token}/nothing?token=${ada.token}`,
    `/api/me?token=${ada.token}`,
    `/api/projects/${ada.token}`,
    `/api/projects/${full.projectId}?access_token=${ada.token}`,
    `/${ada.token}/${link!.token}`,
    `/project/${ada.token}`,
    `/r/${ada.token}`,
  ])
    await ada.ask(path);
  await ada.ask(project, { method: 'PATCH', json: { webhookUrl: ada.token } });
  await ada.ask(project, {
    method: 'PATCH',
    body: `{"webhookSecret": "${WEBHOOK_SECRET}`,
    headers: { 'content-type': 'application/json' },
  });
  await seed.ask('/api/me', { token: secret });
  return issued;
}

/**
 * Searches logs, spans, records and documents for secrets. Also searches for a planted secret, to show that the search
 * works.
 */
export function secrets(seed: SeedData, stores: Stores, traces: TraceReceiver, issued: Issued): void {
  const spans = function* (): Iterable<Held> {
    for (const body of traces.bodies) yield { where: 'a span', bytes: Buffer.from(body) };
  };
  const all = async () => [
    await search(stores.logs(), issued),
    await search(spans(), issued),
    await search(await stores.records(), issued),
    await search(stores.documents(), issued),
  ];

  describe('secrets', () => {
    test('no log, span, Kafka record or document has a token or a webhook secret', async t => {
      await until(
        'the spans of every worker',
        async () =>
          ['media.work', 'transcription.work', 'submissions.events'].every(topic =>
            traces.spans.some(span => span.name === `process ${topic}`),
          ),
        SYSTEM_WAIT,
      );
      const results = await all();
      t.diagnostic(
        `searched for ${issued.size} secrets in ${results.map(({ looked }) => looked).join(', ')} log files, spans' bodies, records, documents`,
      );
      for (const { looked } of results) assert.ok(looked > 1, 'the search had no input');
      assert.deepEqual(
        results.flatMap(({ found }) => found),
        [],
      );
      // Searches for the form of tokens, so it also finds tokens that this test did not issue.
      for await (const { where, bytes } of heldBy(stores, spans())) {
        for (const [token, prefix] of bytes.toString('latin1').matchAll(TOKEN))
          assert.ok(!tokenIsWellFormed(prefix as 'api', token), `${where} holds a token`);
      }
    });

    test('each service logs its work on a clip with the ids of clip, project and upload', async () => {
      const { submissionId, projectId } = seed.clip;
      const loggedBy = async () =>
        (await seed.system.logs())
          .split('\n')
          .filter(line => line.startsWith('{') && line.includes(submissionId))
          .map(line => JSON.parse(line) as Record<string, unknown>)
          .filter(line => line.submissionId === submissionId && line.projectId === projectId);
      await until(
        'a line of every service',
        async () => {
          const services = new Set((await loggedBy()).map(({ service }) => service));
          return ['gateway', 'submissions', 'media', 'transcription', 'webhooks'].every(each => services.has(each));
        },
        SYSTEM_WAIT,
      );
      const [landed] = (await loggedBy()).filter(({ service }) => service === 'submissions');
      assert.match(String(landed?.uploadId), /^[0-9a-f-]{36}$/);
      assert.equal(landed?.ownerId, seed.ada.userId);
    });

    test('a clip’s id finds the spans of every service and the landing of its upload', async () => {
      const { submissionId, projectId } = seed.clip;
      const found = () =>
        traces.spans.filter(({ attributes }) => attributes['recording.submission.id'] === submissionId);
      await until(
        'a span of every service',
        () => {
          const services = new Set(found().map(({ service }) => service));
          return ['submissions', 'media', 'transcription', 'webhooks'].every(each => services.has(each));
        },
        SYSTEM_WAIT,
      );
      const landing = found().find(({ name }) => name === 'land');
      assert.equal(landing?.attributes['recording.project.id'], projectId);
      assert.match(String(landing?.attributes['recording.upload.id']), /^[0-9a-f-]{36}$/);
      const routes = traces.spans.filter(({ service, name }) => service === 'gateway' && / \/api\/projects/.test(name));
      assert.ok(routes.length > 0, 'no span has the route of an owner’s request');
      for (const { name } of routes) assert.doesNotMatch(name, /[0-9a-f]{8}-[0-9a-f]{4}/);
    });

    test('the stores keep the hash of a token, and for a link its sealed text', async () => {
      const tokens = await stores.collection('projects', 'tokens').find().toArray();
      const kept = tokens.map(token => Buffer.from((token.hash as { buffer: Uint8Array }).buffer).toString('hex'));
      assert.ok(kept.includes(hashToken(seed.ada.token).toString('hex')), 'the SHA-256 of an API token');
      const link = await stores.collection('projects', 'links').findOne({ projectId: seed.full.projectId });
      assert.match(String(link!.sealedToken), /^k1[.:]/, 'a sealed token starts with the name of its key');
    });

    test('the search finds a planted secret', async () => {
      const { token } = seed.ada;
      const planted = join(seed.system.scratch, 'logs', 'planted.log');
      const document = { _id: 'planted', text: `a note with ${token} in it` };
      const body = `{"name":"GET /r/${seed.full.recipientUrls[0]!.token}"}`;
      await appendFile(planted, `{"level":"info","authorization":"Bearer ${token}"}\n`);
      await stores.collection('planted', 'planted').insertOne(document);
      await stores.publish('parked', Buffer.from(WEBHOOK_SECRET));
      traces.bodies.push(body);
      try {
        const results = await all();
        assert.deepEqual(
          results.flatMap(({ found }) => found),
          [
            "log planted.log holds Ada's API token",
            'a span holds a recording link',
            `record of ${seed.system.name}.parked holds a webhook secret that was set later`,
            `document of ${seed.system.name}_planted.planted holds Ada's API token`,
          ],
        );
      } finally {
        await rm(planted);
        await stores.collection('planted', 'planted').drop();
        traces.bodies.pop();
      }
    });
  });
}

async function* heldBy(stores: Stores, spans: Iterable<Held>): AsyncIterable<Held> {
  yield* stores.logs();
  yield* spans;
  yield* await stores.records();
  yield* stores.documents();
}
