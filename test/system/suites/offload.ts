import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { httpClient, refused } from '@recording-request/harness/http-client';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { admin } from '../harness/admin.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';
import type { Stores } from '../harness/stores.ts';

// Headers that differ between connections, requests and clients.
const OWN = /^(connection|date|keep-alive|request-id|server|ratelimit)$/;
const comparable = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => !OWN.test(name)).sort());
/** Matches a signed URL that was not redacted. */
const SIGNATURE = /X-Amz-Signature=(?!\[redacted\])/;

/** Tests that nginx sends the bytes without the store's headers, stops for erased clips, and logs no secret. */
export function offload(
  { ada, clip, mute, system }: SeedData,
  stores: Stores,
  { gateway, accessLog, secret }: { gateway: string; accessLog: string; secret: string },
): void {
  const FILES = [clip.videoUrl, clip.audioUrl!, clip.thumbnailStartUrl!, clip.thumbnailEndUrl!];

  describe('media that nginx sends', () => {
    test('the headers are the same as from the gateway alone', async () => {
      const direct = httpClient(gateway, ada.token);
      for (const url of FILES)
        for (const headers of [{}, { range: 'bytes=3-40' }] as Record<string, string>[]) {
          const [own, offloaded] = await Promise.all([direct(url, { headers }), ada.ask(url, { headers })]);
          assert.equal(offloaded.status, own.status, url);
          assert.deepEqual(comparable(offloaded.headers), comparable(own.headers), url);
          assert.ok(offloaded.bytes.equals(own.bytes), url);
        }
    });

    test('nginx requested the bytes from the store each time', async () => {
      const answer = await ada.ask(clip.videoUrl, { headers: { range: 'bytes=3-40' } });
      const id = answer.headers.get('request-id')!;
      const line = await until('the line of nginx', async () =>
        (await readFile(accessLog, 'utf8')).split('\n').find(each => each.includes(id)),
      );
      assert.equal(JSON.parse(line).upstreamStatus, '200 : 206');
      const logged = await until('the gateway’s line', async () =>
        (await system.logs()).split('\n').find(each => each.includes(id) && each.includes('"answered"')),
      );
      assert.equal(JSON.parse(logged).offload, 'takes');
    });

    test('nginx sends no byte of a clip a second after its erasure', async () => {
      const project = await ada.createProject({ projectName: 'To go', count: 1 });
      // The upload also goes through nginx.
      const recipientUrl = project.recipientUrls[0]!.recipientUrl.replace(gateway, system.baseUrl);
      const submissionId = await sendClip(recipientUrl, mute, { responseSessionId: await beginResponse(recipientUrl) });
      const erased = await until(
        'its media',
        async () =>
          (await submissionsOf(ada, project.projectId)).find(
            each => each.submissionId === submissionId && each.mediaStatus === 'ready',
          ),
        SYSTEM_WAIT,
      );
      const urls = [erased.videoUrl, erased.thumbnailStartUrl!];
      const parts: Record<string, string>[] = [{ range: 'bytes=0-9' }, {}];
      for (const url of urls)
        for (const headers of parts) assert.ok((await ada.ask(url, { headers })).bytes.length > 0, url);
      const done = await admin(system, 'erase', 'submission', submissionId, '--yes');
      assert.equal(done.code, 0, done.stderr);
      for (const url of urls) for (const headers of parts) refused(await ada.ask(url, { headers }), 404);
      // The gateway caches the place of the object for up to a second. After the erasure, nginx may therefore get a 404
      // from the store.
      assert.deepEqual(await stores.keys(`submissions/${project.projectId}/${submissionId}/`), []);
    });

    test('no log has the secret, a token or a signed URL', async () => {
      const token = ada.token;
      let looked = 0;
      for await (const { where, bytes } of logs(stores, accessLog)) {
        const text = bytes.toString('latin1');
        looked++;
        for (const each of [secret, token]) assert.ok(!text.includes(each), where);
        assert.doesNotMatch(text, SIGNATURE, where);
      }
      assert.ok(looked >= 7, `${looked} logs`);
    });
  });
}

async function* logs(stores: Stores, accessLog: string) {
  yield* stores.logs();
  yield { where: accessLog, bytes: await readFile(accessLog) };
}
