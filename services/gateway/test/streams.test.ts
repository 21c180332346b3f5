import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { archiveBehind, serveContent, ZIP, ZIP_ETAG, ZIP_HEADER_BYTES } from './archive-behind.ts';
import { CONTENT, type FakeStore, mediaAt, startFakeStore } from './fake-store.ts';
import { mediaContract } from './media-contract.ts';
import { bounds, videoBounds } from './stream-bounds.ts';
import {
  asProject,
  type Behind,
  OWNER_ID,
  PROJECT_ID,
  SUBMISSION_ID,
  startTestGateway,
  type TestGateway,
} from './test-service.ts';

const MANY_READERS = 60;
let harness: TestGateway;
/** One that sends few streams at once. */
let bounded: TestGateway;
let store: FakeStore;

before(async () => {
  store = await startFakeStore();
  const many = String(MANY_READERS);
  const behind: Behind = {
    projects: {
      getProject: async () => ({ project: asProject() }),
      resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
      resolveRecipient: async () =>
        ({ linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1 }) as never,
      beginResponse: async () => ({
        response: {
          ...{ responseSessionId: SUBMISSION_ID, linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID },
          ...{ settings: asProject().settings, answers: [], complete: false, held: true },
        },
      }),
    },
    submissions: {
      listUploads: async () => ({ uploads: [] }),
      getMedia: mediaAt(store),
    },
  };
  harness = await startTestGateway(behind, {
    EXPORTS_AT_ONCE: many,
    EXPORTS_AT_ONCE_PER_OWNER: many,
    EXPORTS_AT_ONCE_PER_TOKEN: many,
  });
  bounded = await startTestGateway(behind, {
    EXPORTS_AT_ONCE: '4',
    EXPORTS_AT_ONCE_PER_OWNER: '3',
    EXPORTS_AT_ONCE_PER_TOKEN: '2',
    MEDIA_AT_ONCE: '3',
    MEDIA_AT_ONCE_PER_OWNER: '2',
    MEDIA_AT_ONCE_PER_TOKEN: '1',
  });
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await bounded[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

mediaContract('media from the gateway itself', {
  gateway: () => harness,
  base: () => harness.base,
  answer: listener => (store.answer = listener),
});

const video = (headers: Record<string, string> = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`, {
    headers: { ...harness.bearer, ...headers },
  });

/** Has the store break off the first answer after some bytes. */
function breakOffOnce(meanwhile = () => {}): void {
  store.answer = (request, response) => {
    store.answer = serveContent;
    const length = CONTENT.length - Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(request.headers.range ? 206 : 200, { 'content-length': length });
    response.write(CONTENT.subarray(CONTENT.length - length, CONTENT.length - length + 300), () => response.destroy());
    meanwhile();
  };
}

test('a video that the store breaks off, as it does when a player pauses, goes on at the byte that comes next', async () => {
  breakOffOnce();
  assert.ok(Buffer.from(await (await video()).arrayBuffer()).equals(CONTENT));
  breakOffOnce();
  assert.ok(Buffer.from(await (await video({ range: 'bytes=100-' })).arrayBuffer()).equals(CONTENT.subarray(100)));
});

test('a video that was erased or replaced while it was sent does not go on', async () => {
  const { submissions } = harness.behind;
  const { getMedia } = submissions!;
  const erased = async () => {
    throw new DomainError('not_found', 'There is no such submission in this project.');
  };
  const replaced = async () => ({ ...(await mediaAt(store)({ kind: 1 })), etag: '"e2"' });
  for (const now of [erased, replaced]) {
    breakOffOnce(() => {
      submissions!.getMedia = now;
    });
    const response = await video();
    assert.equal(response.status, 200);
    await assert.rejects(response.arrayBuffer());
    Object.assign(submissions!, { getMedia });
  }
});

const exported = (init: RequestInit = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/export/transcripts.txt?selected=true`, {
    headers: harness.bearer,
    ...init,
  });

test('an export is passed on as it comes, with its filter and whether links may be seen', async () => {
  let seen: unknown;
  harness.behind.exports = {
    async *export(request) {
      seen = { filter: request.filter, includeLinks: request.includeLinks, ownerId: request.ownerId };
      yield { chunk: Buffer.from('Tr') };
      yield { chunk: Buffer.alloc(100_000, 'x') };
    },
  };
  const response = await exported();
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(response.headers.get('content-disposition'), `attachment; filename="${PROJECT_ID}-transcripts.txt"`);
  assert.equal((await response.arrayBuffer()).byteLength, 100_002);
  assert.deepEqual(seen, { filter: { selected: true, transcriptStatus: 0 }, includeLinks: true, ownerId: OWNER_ID });
  const few = { authorization: `Bearer ${harness.tokenWith(['submissions:read'])}` };
  await (await exported({ headers: few })).arrayBuffer();
  assert.equal((seen as { includeLinks: boolean }).includeLinks, false);
});

test('what is wrong before the first byte is an error in JSON', async () => {
  harness.behind.exports = {
    // biome-ignore lint/correctness/useYield: it fails before it has anything to give
    async *export() {
      throw new DomainError('not_found', 'There is no such project.');
    },
  };
  const response = await exported();
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: 'There is no such project.' });
  assert.equal(response.headers.get('content-disposition'), null);
});

test('an export that nothing comes of is an error in JSON, and the work behind it is cancelled', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  harness.behind.exports = {
    async *export(_request, { signal }) {
      signal.addEventListener('abort', () => resolve());
      await cancelled;
    },
  };
  const response = await exported();
  assert.equal(response.status, 503);
  assert.ok(response.headers.get('retry-after'));
  assert.deepEqual(await response.json(), { error: 'The export could not be begun; try again in a moment.' });
  await cancelled;
});

test('a failure midway breaks the connection', async () => {
  harness.behind.exports = {
    async *export() {
      yield { chunk: Buffer.alloc(1_000) };
      throw new DomainError('internal', 'broken');
    },
  };
  const response = await exported();
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
});

test('a client that goes away cancels the work behind an export', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  harness.behind.exports = {
    async *export(_request, { signal }) {
      signal.addEventListener('abort', () => resolve());
      yield { chunk: Buffer.alloc(1_000) };
      while (!signal.aborted) {
        await delay(10, undefined, { signal }).catch(() => {});
        yield { chunk: Buffer.alloc(1_000) };
      }
    },
  };
  const stop = new AbortController();
  const response = await exported({ signal: stop.signal });
  stop.abort();
  await assert.rejects(response.arrayBuffer());
  await cancelled;
});

test('a slow reader holds an export back: what is made ahead has a bound', async () => {
  let made = 0;
  const chunk = Buffer.alloc(256 * 1024);
  harness.behind.exports = {
    async *export() {
      for (; made < 400; made++) yield { chunk };
    },
  };
  const response = await exported();
  const reader = response.body!.getReader();
  await reader.read();
  let before = -1;
  // It has stopped making when nothing was made over a while.
  while (made !== before) {
    before = made;
    await delay(300);
  }
  assert.ok(made < 200, `${made} chunks of 256 KiB were made for a reader that reads nothing`);
  await reader.cancel();
});

test('HEAD of an export asks only whether there is such a project', async () => {
  harness.behind.exports = {};
  const response = await exported({ method: 'HEAD', headers: harness.bearer });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
});

const archive = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/export/project.zip`, {
    headers: { ...harness.bearer, ...headers },
    ...init,
  });

test('an archive has a length, a name and ranges, from wherever its bytes are', async () => {
  store.answer = serveContent;
  archiveBehind(harness, store);
  const response = await archive({ 'accept-encoding': 'gzip, br' });
  const expected = {
    'content-type': 'application/zip',
    'content-length': String(ZIP.length),
    'content-disposition': `attachment; filename="${PROJECT_ID}-project.zip"`,
    'accept-ranges': 'bytes',
    'content-encoding': null,
    'x-amz-request-id': null,
    etag: ZIP_ETAG,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value, name);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(ZIP));
  for (let cut = 0; cut < 50; cut++) {
    const start = Math.floor(Math.random() * ZIP.length);
    const part = await archive({ range: `bytes=${start}-`, 'if-range': ZIP_ETAG });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-range'), `bytes ${start}-${ZIP.length - 1}/${ZIP.length}`);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(ZIP.subarray(start)), `from byte ${start}`);
  }
});

const FRESH = { etag: '', resume: false };
const ARCHIVE_RANGES: [headers: Record<string, string>, status: number, opened: object, bytes: Buffer | null][] = [
  [{ range: 'bytes=0-' }, 206, FRESH, ZIP],
  [{ range: 'bytes=3-40' }, 206, { etag: '', resume: true }, ZIP.subarray(3, 41)],
  [{ range: 'bytes=-5' }, 206, { etag: '', resume: true }, ZIP.subarray(-5)],
  [{ range: 'bytes=3-40', 'if-range': ZIP_ETAG }, 206, { etag: ZIP_ETAG, resume: false }, ZIP.subarray(3, 41)],
  [{ range: 'bytes=3-40', 'if-range': '"old"' }, 200, { etag: '"old"', resume: false }, ZIP],
  [{ range: 'bytes=3-40', 'if-range': `W/${ZIP_ETAG}` }, 200, { etag: `W/${ZIP_ETAG}`, resume: false }, ZIP],
  [
    { range: 'bytes=3-40', 'if-range': new Date(0).toUTCString() },
    200,
    { etag: new Date(0).toUTCString(), resume: false },
    ZIP,
  ],
  [{ range: 'bytes=0-1,5-6' }, 200, { etag: '', resume: false }, ZIP],
  [{ range: `bytes=${ZIP.length}-` }, 416, { etag: '', resume: true }, null],
  [{ range: 'bytes=5-4' }, 200, FRESH, ZIP],
  [{ range: 'items=3-4' }, 200, FRESH, ZIP],
  [{ 'if-none-match': ZIP_ETAG }, 304, FRESH, Buffer.alloc(0)],
  [{ range: 'bytes=5-9', 'if-none-match': ZIP_ETAG }, 304, FRESH, Buffer.alloc(0)],
];
for (const [headers, status, opened, bytes] of ARCHIVE_RANGES) {
  test(`${JSON.stringify(headers)} of an archive is ${status}`, async () => {
    store.answer = serveContent;
    const asked = archiveBehind(harness, store);
    const response = await archive(headers);
    assert.equal(response.status, status);
    assert.deepEqual(asked.opened, [opened]);
    const body = Buffer.from(await response.arrayBuffer());
    if (bytes) assert.ok(body.equals(bytes));
    else assert.equal(response.headers.get('content-range'), `bytes */${ZIP.length}`);
  });
}

test('a rest without If-Range is not sent where it may follow the bytes of another archive', async () => {
  store.answer = serveContent;
  const asked = archiveBehind(harness, store);
  const [resumed, rest] = [{ etag: '', resume: true }, { range: 'bytes=3-' }];
  assert.equal((await archive(rest)).status, 206, 'one alone was opened');
  asked.mayDiffer = true;
  const whole = await archive(rest);
  assert.deepEqual([whole.status, whole.headers.get('content-range')], [200, null]);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(ZIP));
  assert.deepEqual(asked.opened, [resumed, resumed, FRESH], 'the whole is of the project as it is now');
  assert.equal((await archive({ ...rest, 'if-range': ZIP_ETAG })).status, 206);
  assert.equal(
    (await archive({ range: 'bytes=-5' })).status,
    206,
    'the directory, by which a reader of archives begins',
  );
});

test('HEAD of an archive says how long it is without reading any of it', async () => {
  const asked = archiveBehind(harness, store);
  const response = await archive({ range: 'bytes=3-' }, { method: 'HEAD' });
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(ZIP.length)]);
  assert.equal(response.headers.get('etag'), ZIP_ETAG);
  assert.deepEqual([asked.opened, asked.located], [[FRESH], 0]);
});

test('a store that breaks off in the middle of an archive is asked for the rest', async () => {
  archiveBehind(harness, store);
  let broken = 0;
  store.answer = (request, response) => {
    if (broken++ >= 3) return serveContent(request, response);
    const [, first] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const [, last] = /-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    response.writeHead(206, { 'content-length': Number(last) + 1 - Number(first) });
    response.write(CONTENT.subarray(Number(first), Number(first) + 7), () => response.destroy());
  };
  assert.ok(Buffer.from(await (await archive()).arrayBuffer()).equals(ZIP));
});

const FIRST_OBJECT = `bytes=0-${CONTENT.length - 1}`;

test('the next object of an archive is opened before the one that is read has ended', async () => {
  archiveBehind(harness, store);
  const { promise: next, resolve } = Promise.withResolvers<void>();
  store.answer = (request, response) => {
    if (request.headers.range !== FIRST_OBJECT) {
      resolve();
      return serveContent(request, response);
    }
    response.writeHead(206, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, -1));
    void next.then(() => response.end(CONTENT.subarray(-1)));
  };
  const response = await archive({}, { signal: AbortSignal.timeout(10_000) });
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(ZIP));
});

for (const how of ['its reader leaves', 'something is erased'])
  test(`what was opened of an archive, and ahead, is closed when ${how}`, async () => {
    const asked = archiveBehind(harness, store);
    const [first, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const opened = Promise.withResolvers<void>();
    store.answer = (request, response) => {
      const isFirst = request.headers.range === FIRST_OBJECT;
      response.on('close', isFirst ? first.resolve : next.resolve);
      response.writeHead(206, { 'content-length': CONTENT.length - (isFirst ? 0 : 5) }).write('x');
      if (!isFirst) opened.resolve();
    };
    const leave = new AbortController();
    const response = await archive({}, { signal: leave.signal });
    const reading = assert.rejects(response.arrayBuffer());
    await opened.promise;
    if (how === 'something is erased') asked.isErased = true;
    else leave.abort();
    await Promise.all([reading, first.promise, next.promise]);
  });

test('an object that is gone is reported, breaks the connection, and is an error where nothing was sent', async () => {
  const asked = archiveBehind(harness, store);
  store.answer = (_request, response) => response.writeHead(404).end('<Error>NoSuchKey</Error>');
  await assert.rejects(archive().then(response => response.arrayBuffer()));
  const response = await archive({ range: `bytes=${ZIP_HEADER_BYTES + 3}-`, 'if-range': ZIP_ETAG });
  assert.equal(response.status, 503);
  assert.match(((await response.json()) as { error: string }).error, /ask for the export again/);
  for (const name of ['etag', 'content-range', 'content-disposition', 'accept-ranges'])
    assert.equal(response.headers.get(name), null, name);
  assert.deepEqual(asked.reported, [ZIP_HEADER_BYTES, ZIP_HEADER_BYTES + 3]);
});

test('an erasure ends a download that runs, also while the store or its reader makes it wait', async () => {
  const asked = archiveBehind(harness, store);
  const { promise: left, resolve } = Promise.withResolvers<void>();
  store.answer = (_request, response) => {
    response.on('close', resolve);
    response.writeHead(206, { 'content-length': CONTENT.length }).write('x');
  };
  const response = await archive();
  assert.equal(response.status, 200);
  asked.isErased = true;
  await assert.rejects(response.arrayBuffer());
  await left;
});

test('a submissions service of the version before is asked for the archive as a stream', async () => {
  const behind: Behind = {
    exports: {
      async *export({ format }) {
        yield { chunk: Buffer.from(`format ${format}`) };
      },
    },
  };
  await using gateway = await startTestGateway(
    behind,
    {},
    { exportsService: { export: ExportsServiceService.export } },
  );
  const address = `${gateway.base}/api/projects/${PROJECT_ID}/export/project.zip`;
  const response = await fetch(address, { headers: { ...gateway.bearer, range: 'bytes=3-' } });
  assert.deepEqual([response.status, response.headers.get('etag'), await response.text()], [200, null, 'format 3']);
});

/** An export that goes on until its reader leaves. */
const endless: NonNullable<Behind['exports']> = {
  async *export(_request, { signal }) {
    for (let made = 0; made < 4; made++) yield { chunk: Buffer.alloc(256 * 1024) };
    await new Promise(resolve => signal.addEventListener('abort', resolve));
  },
};

test('readers of exports, however many and slow, take nothing that a contributor needs', async () => {
  harness.behind.exports = endless;
  const leave = new AbortController();
  const reading = await Promise.all(Array.from({ length: MANY_READERS }, () => exported({ signal: leave.signal })));
  assert.ok(reading.every(({ status }) => status === 200));
  const begun = await fetch(`${harness.base}/r/${mintToken('vr')}/responses`, { method: 'POST' });
  assert.equal(begun.status, 201, `a contributor cannot begin: ${await begun.text()}`);
  leave.abort();
  await Promise.allSettled(reading.map(response => response.arrayBuffer()));
});

test('exports that are read at once have a bound for a token, an owner and all: one more is 429, until one ends', async () => {
  archiveBehind(bounded, store);
  store.answer = (_request, response) => response.writeHead(206, { 'content-length': CONTENT.length }).write('x');
  bounded.behind.exports = { ...bounded.behind.exports, ...endless };
  for (const file of ['export/project.zip', 'export/transcripts.txt'])
    await bounds(
      { gateway: bounded, base: bounded.base },
      file,
      { all: 4, owner: 3, token: 2 },
      /^Too many exports are being read; /,
    );
});

test('so have videos; the pictures of a page are not counted', async () => {
  store.answer = (_request, response) => response.writeHead(200, { 'content-length': 1_000 }).write('x');
  await videoBounds({ gateway: bounded, base: bounded.base });
});
