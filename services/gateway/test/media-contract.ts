import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { before, describe, test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { CONTENT, serveContent as serveWhole } from './fake-store.ts';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID, type TestGateway } from './test-service.ts';

const RANGES: [headers: Record<string, string>, status: number, contentRange: string | null, bytes: Buffer | null][] = [
  [{ range: 'bytes=0-9' }, 206, 'bytes 0-9/1000', CONTENT.subarray(0, 10)],
  [{ range: 'bytes=990-' }, 206, 'bytes 990-999/1000', CONTENT.subarray(990)],
  [{ range: 'bytes=-5' }, 206, 'bytes 995-999/1000', CONTENT.subarray(995)],
  [{ range: 'bytes=0-1,5-6' }, 200, null, CONTENT],
  [{ range: 'bytes=1000-' }, 416, 'bytes */1000', null],
  [{ range: 'bytes=0-9', 'if-range': '"e1"' }, 206, 'bytes 0-9/1000', CONTENT.subarray(0, 10)],
  [{ range: 'bytes=0-9', 'if-range': '"old"' }, 200, null, CONTENT],
  [{ 'if-none-match': 'W/"e1"' }, 304, null, Buffer.alloc(0)],
];

/** The server from which clients request media: a gateway, or a proxy in front of it. */
export interface MediaPlace {
  gateway(): TestGateway;
  base(): string;
  /** Sets the answers of the store from now on. */
  answer(listener: RequestListener): void;
}

/** Checks the promises to clients about media, for every server that sends the bytes. */
export function mediaContract(title: string, place: MediaPlace, serveContent: RequestListener = serveWhole): void {
  describe(title, () => {
    before(() => place.answer(serveContent));

    const media = (path = 'video', headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${place.base()}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/${path}`, {
        method,
        headers: { ...place.gateway().bearer, ...headers },
      });

    test('the whole object, with the headers of the contract and none of the store', async () => {
      const response = await media();
      assert.equal(response.status, 200);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
      const expected = {
        'content-type': 'application/octet-stream',
        'content-length': '1000',
        'accept-ranges': 'bytes',
        etag: '"e1"',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': `attachment; filename="_n_code _clip_.webm"; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%22clip%22.webm`,
      };
      for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value, name);
      assert.equal(response.headers.get('x-amz-request-id'), null);
    });

    for (const [headers, status, contentRange, bytes] of RANGES) {
      test(`${JSON.stringify(headers)} is ${status}`, async () => {
        const response = await media('video', headers);
        assert.equal(response.status, status);
        assert.equal(response.headers.get('content-range'), contentRange);
        assert.equal(response.headers.get('error-code'), status === 416 ? 'range_not_satisfiable' : null);
        const body = Buffer.from(await response.arrayBuffer());
        if (bytes) assert.deepEqual(body, bytes);
        else assert.deepEqual(Object.keys(JSON.parse(body.toString())), ['error']);
      });
    }

    test('media are never compressed, and clients may cache only pictures of a dashboard', async () => {
      const here = `${place.base()}/project/${mintToken('prj')}/submissions/${SUBMISSION_ID}`;
      const headers = { 'accept-encoding': 'gzip, br' };
      for (const response of [await media('video', headers), await fetch(`${here}/thumbnail-middle`, { headers })]) {
        assert.equal(response.headers.get('content-encoding'), null, response.url);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
      }
      for (const [path, control] of [
        ['thumbnail-start', 'private, no-cache'],
        ['thumbnail-middle', 'private, no-cache'],
        ['thumbnail-end', 'private, no-cache'],
        ['video', 'no-store'],
        ['audio', 'no-store'],
      ] as const) {
        const response = await fetch(`${here}/${path}`, { headers: { 'if-none-match': '"e1"' } });
        assert.deepEqual([response.status, response.headers.get('cache-control')], [304, control], path);
      }
    });

    test('a cached picture gets 304 only after its dashboard and its clip were found, and without a read', async () => {
      let read = 0;
      place.answer((request, response) => {
        read++;
        serveContent(request, response);
      });
      const open = new Set<string>();
      const { projects, submissions } = place.gateway().behind;
      const { resolveDashboardToken } = projects!;
      const { getMedia } = submissions!;
      projects!.resolveDashboardToken = async ({ tokenHash }) => {
        if (!open.has(Buffer.from(tokenHash).toString('hex')))
          throw new DomainError('not_found', 'There is no such token.');
        return { ownerId: OWNER_ID, projectId: PROJECT_ID };
      };
      const token = mintToken('prj');
      const hash = hashToken(token).toString('hex');
      const again = async (here: string) => {
        const path = `${place.base()}/project/${here}/submissions/${SUBMISSION_ID}/thumbnail-middle`;
        const response = await fetch(path, { headers: { 'if-none-match': '"e1"' } });
        return [response.status, response.headers.get('cache-control'), (await response.arrayBuffer()).byteLength > 0];
      };
      open.add(hash);
      assert.deepEqual(await again(token), [304, 'private, no-cache', false]);
      assert.equal(read, 0, 'the store gets no request');
      submissions!.getMedia = async () => {
        throw new DomainError('not_found', 'There is no such submission in this project.');
      };
      assert.deepEqual(await again(token), [404, 'no-store', true], 'the clip was erased');
      Object.assign(submissions!, { getMedia });
      const calls = place.gateway().calls.length;
      assert.deepEqual(await again(mintToken('prj')), [404, 'no-store', true], 'the token is no longer valid');
      assert.deepEqual(place.gateway().calls.slice(calls), ['resolveDashboardToken'], 'no look-up is made');
      Object.assign(projects!, { resolveDashboardToken });
      place.answer(serveContent);
    });

    test('the cached look-up of a medium serves only ranges: an erased clip is gone at once', async () => {
      place.answer(serveContent);
      assert.equal((await media('video', { range: 'bytes=0-9' })).status, 206);
      const { submissions } = place.gateway().behind;
      const { getMedia } = submissions!;
      submissions!.getMedia = async () => {
        throw new DomainError('not_found', 'There is no such submission in this project.');
      };
      try {
        for (const [headers, method] of [
          [{ range: 'bytes=0-9' }, 'HEAD'],
          [{ range: 'bytes=0-9', 'if-none-match': '"e1"' }, 'GET'],
        ] as const)
          assert.equal((await media('video', headers, method)).status, 404, method);
      } finally {
        Object.assign(submissions!, { getMedia });
      }
    });

    test('HEAD returns the length without a request to the store', async () => {
      let touched = 0;
      place.answer((request, response) => {
        touched++;
        serveContent(request, response);
      });
      const response = await media('video', { range: 'bytes=0-9' }, 'HEAD');
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-length'), '1000');
      assert.equal(response.headers.get('etag'), '"e1"');
      assert.equal(touched, 0);
    });

    test('304 has no length, for HEAD and for GET: 0 would mean an empty clip', async () => {
      for (const method of ['GET', 'HEAD']) {
        const response = await media('video', { 'if-none-match': '"e1"' }, method);
        assert.deepEqual(
          [response.status, response.headers.get('etag'), response.headers.get('content-length')],
          [304, '"e1"', null],
          method,
        );
      }
    });

    test('the dashboard shows the true type, but only of a medium', async () => {
      place.answer(serveContent);
      const here = `${place.base()}/project/${mintToken('prj')}/submissions/${SUBMISSION_ID}`;
      const video = await fetch(`${here}/video`);
      assert.equal(video.headers.get('content-type'), 'video/webm');
      assert.match(video.headers.get('content-disposition') ?? '', /^inline/);
      assert.equal(video.headers.get('cache-control'), 'no-store');
      await video.arrayBuffer();
      const audio = await fetch(`${here}/audio`);
      assert.equal(audio.headers.get('content-type'), 'application/octet-stream');
      await audio.arrayBuffer();
    });

    test('an object that moved between its look-up and its read is looked up again', async () => {
      let requested = 0;
      place.answer((request, response) => {
        if (++requested === 1) return response.writeHead(404).end('<Error>NoSuchKey</Error>');
        serveContent(request, response);
      });
      const response = await media();
      assert.equal(response.status, 200);
      assert.equal((await response.arrayBuffer()).byteLength, 1_000);
    });

    test("the store's own errors stay inside", async () => {
      for (const status of [403, 404, 500]) {
        place.answer((_request, response) => response.writeHead(status).end('<Error><Bucket>inner</Bucket></Error>'));
        const response = await media();
        assert.equal(response.status, 503);
        assert.equal(response.headers.get('content-disposition'), null);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        const body = await response.text();
        assert.deepEqual(Object.keys(JSON.parse(body)), ['error']);
        assert.doesNotMatch(body, /inner|Error>/);
      }
    });

    test('a client that leaves ends the read of the object', async () => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      place.answer((_request, response) => {
        response.on('close', resolve);
        response.writeHead(200, { 'content-length': 1_000 }).write('x');
      });
      const stop = new AbortController();
      const response = await fetch(`${place.base()}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`, {
        headers: place.gateway().bearer,
        signal: stop.signal,
      });
      stop.abort();
      await assert.rejects(response.arrayBuffer());
      await closed;
    });
  });
}
