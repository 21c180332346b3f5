import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { httpClient, ok } from '@recording-request/harness/http-client';
import type { TestClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { Client } from 'minio';
import { runProgram, startProgram, writePrograms } from '../harness/docs-programs.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { startRecordingProxy } from '../harness/recording-proxy.ts';
import { submissionsOf } from '../harness/seed.ts';

const { S3_ENDPOINT = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = process.env;

/** Runs the programs of the guide that mirrors clips into a bucket, against a real object store. */
export function mirroring({ system, mute }: { system: TestSystem; mute: TestClip }): void {
  describe('the programs that mirror into a bucket', () => {
    for (const program of ['mirror.mts', 'mirror.py'])
      test(`${program} follows the feed, continues after a kill, copies only what is new, and removes what was erased`, async () => {
        const folder = join(system.scratch, program.replace('.', '-'));
        await using proxy = await startRecordingProxy(system.baseUrl);
        const page = (await httpClient(system.baseUrl)('/api/docs/mirror.md')).text();
        assert.deepEqual(await writePrograms(page.replaceAll(system.baseUrl, proxy.url), folder), [
          'mirror.mts',
          'mirror.py',
        ]);
        const bucket = `${system.name}-${program.replace('.', '-')}`;
        await using store = await bucketOf(bucket);
        const owner = await system.newOwner(program);
        const env = { TOKEN: owner.token, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET: bucket };
        const mirror = () => runProgram(folder, program, ['--once'], env);

        const [first, second] = await Promise.all(
          ['First', 'Second'].map(projectName => owner.createProject({ projectName, count: 2 })),
        );
        const record = async ({ recipientUrls }: NonNullable<typeof first>, at: number) => {
          const link = recipientUrls[at]!.recipientUrl;
          return sendClip(link, mute, { responseSessionId: await beginResponse(link) });
        };
        /** Compares the bucket with the service. */
        const compare = async () => {
          const expected: Record<string, string> = {};
          for (const { projectId } of ok(await owner.ask('/api/projects')).projects)
            for (const { submissionId, videoUrl } of await submissionsOf(owner, projectId)) {
              const { headers } = await owner.ask(videoUrl, { method: 'HEAD' });
              expected[`${projectId}/${submissionId}/video`] = headers.get('etag')!.replaceAll('"', '');
            }
          const objects = await store.objects();
          const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
          const videos = Object.entries(objects).filter(([key]) => key.endsWith('/video'));
          assert.deepEqual(Object.fromEntries(videos.map(([key, bytes]) => [key, hash(bytes)])), expected);
          const names = videos.flatMap(([key]) => [key, key.replace(/video$/, 'clip.json')]);
          assert.deepEqual(Object.keys(objects).sort(), [...names, 'events.cursor'].sort());
          return objects;
        };
        const ready = (projectId: string, count: number) =>
          until(
            'the media are ready',
            async () => {
              const clips = await submissionsOf(owner, projectId);
              return clips.length === count && clips.every(({ mediaStatus }) => mediaStatus === 'ready');
            },
            SYSTEM_WAIT,
          );

        let erased = '';
        {
          // The program follows the feed until the end of this block, which kills it.
          await using _following = await startProgram(folder, program, [], env);
          erased = await record(first!, 0);
          const key = `${first!.projectId}/${erased}/clip.json`;
          await until('the clip is in the bucket', async () => key in (await store.objects()), SYSTEM_WAIT);
        }
        await record(second!, 0);
        await Promise.all([ready(first!.projectId, 1), ready(second!.projectId, 1)]);
        await mirror();
        const before = await compare();
        const clip = JSON.parse(before[`${first!.projectId}/${erased}/clip.json`]!.toString());
        assert.deepEqual([clip.submissionId, clip.mediaStatus], [erased, 'ready']);

        const times = await store.times();
        await record(first!, 1);
        await ready(first!.projectId, 2);
        await erase(owner.ask, `/api/projects/${first!.projectId}/submissions/${erased}`);
        proxy.refuse(2);
        await mirror();
        await compare();
        const kept = Object.keys(before).filter(key => key.startsWith(second!.projectId) && key.endsWith('/video'));
        assert.equal(kept.length, 1);
        for (const key of kept)
          assert.equal((await store.times())[key], times[key], 'an unchanged video was copied again');

        await erase(owner.ask, `/api/projects/${second!.projectId}`);
        await until(
          'the project is erased',
          async () => (await owner.ask(`/api/projects/${second!.projectId}`)).status === 404,
        );
        await mirror();
        await compare();
      });

    for (const program of ['mirror.mts', 'mirror.py'])
      test(`${program} removes nothing after the 404 of a proxy, and ends with a sentence`, async () => {
        const bucket = `${system.name}-404-${program.replace('.', '-')}`;
        await using store = await bucketOf(bucket);
        const [projectId, submissionId] = [randomUUID(), randomUUID()];
        const own = [`${projectId}/${submissionId}/video`, `${projectId}/${submissionId}/clip.json`];
        const foreign = [`${projectId}/${submissionId}/other.bin`, 'holiday/photos/1.jpg', 'a/b', 'events.cursor'];
        for (const name of [...own, ...foreign]) await store.put(name, 'kept');
        const kept = async () => Object.keys(await store.objects()).sort();
        const before = await kept();

        let answers: Answers = () => ['404', 'text/plain', ''];
        await using service = await startAnswering(of => answers(of));
        const folder = join(system.scratch, `404-${program.replace('.', '-')}`);
        const page = (await httpClient(system.baseUrl)('/api/docs/mirror.md')).text();
        await writePrograms(page.replaceAll(system.baseUrl, service.url), folder);
        const env = { TOKEN: 'api_any', S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET: bucket };
        const fails = async (more: Partial<typeof env> = {}) => {
          const { ended } = await startProgram(folder, program, ['--once'], { ...env, ...more });
          const { code, messages } = await ended;
          assert.equal(code, 1, messages);
          assert.equal(messages.trim().split('\n').length, 1, `not one sentence: ${messages}`);
          return messages;
        };
        const listed: Answers = path =>
          path === '/api/projects' && ['200', 'application/json', '{"projects":[],"pagination":{"nextCursor":null}}'];
        for (const proxy of [
          ['404', 'text/plain', ''],
          ['404', 'text/html', '<h1>404 Not Found</h1>'],
          ['404', 'application/json', '{"error":"Not Found"}'],
          ['200', 'text/html', '<h1>Welcome</h1>'],
        ] satisfies Answer[]) {
          answers = () => proxy;
          await fails();
          answers = path => listed(path) || proxy;
          await fails();
          assert.deepEqual(await kept(), before, `after ${proxy}`);
        }
        const missing: Answer = ['404', 'application/json', '{"error":"There is no such project."}', 'not_found'];
        answers = () => missing;
        assert.match(await fails(), /There is no such project|not_found/);
        assert.deepEqual(await kept(), before, 'an unknown list of projects removes nothing');

        // Only a 404 with the service's error code shows that the clip is gone. The program keeps the objects of others.
        const feed = '{"events":[],"nextCursor":"c","caughtUp":true}';
        answers = path => listed(path) || (path === '/api/events' ? ['200', 'application/json', feed] : missing);
        await runProgram(folder, program, ['--once'], env);
        assert.deepEqual(await kept(), [...foreign].sort());

        assert.match(await fails({ S3_BUCKET: `${bucket}-none` }), /There is no bucket .*-none: create it first\./);
        assert.match(await fails({ S3_ENDPOINT: '' }), /Set S3_ENDPOINT\./);
      });
  });
}

type Answer = [status: string, type: string, body: string, code?: string];
type Answers = (path: string) => Answer | false;

/** Starts a server that gives these answers to every request. */
async function startAnswering(answers: Answers) {
  const server = createServer((request, response) => {
    const answer = answers(request.url!.split('?')[0]!);
    assert.ok(answer);
    const [status, type, body, code] = answer;
    response.writeHead(Number(status), { 'content-type': type, ...(code && { 'error-code': code }) });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function erase(ask: ReturnType<typeof httpClient>, path: string): Promise<void> {
  const { confirm } = ok(await ask(`${path}/erase`, { method: 'POST' }));
  const { status } = await ask(`${path}/erase`, { method: 'POST', json: { confirm } });
  assert.ok(status === 200 || status === 202, `${path}: ${status}`);
}

/** Makes a bucket on the test's object store. Disposing removes it. */
async function bucketOf(bucket: string) {
  const { hostname: endPoint, port, protocol } = new URL(S3_ENDPOINT);
  const keys = { accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY };
  const client = new Client({ endPoint, port: Number(port), useSSL: protocol === 'https:', ...keys });
  await client.makeBucket(bucket);
  const list = () =>
    Array.fromAsync(client.listObjectsV2(bucket, '', true) as AsyncIterable<{ name: string; lastModified: Date }>);
  return {
    /** Returns the bytes of every object. */
    async objects(): Promise<Record<string, Buffer>> {
      const entries = (await list()).map(async ({ name }) => [
        name,
        await buffer(await client.getObject(bucket, name)),
      ]);
      return Object.fromEntries(await Promise.all(entries));
    },
    put: async (name: string, content: string) => void (await client.putObject(bucket, name, content)),
    /** Returns when each object was written. */
    times: async () => Object.fromEntries((await list()).map(({ name, lastModified }) => [name, +lastModified])),
    async [Symbol.asyncDispose]() {
      for (const { name } of await list()) await client.removeObject(bucket, name);
      await client.removeBucket(bucket);
    },
  };
}
