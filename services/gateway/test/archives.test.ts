import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { archiveBehind, serveContent, ZIP, ZIP_ETAG, ZIP_HEADER_BYTES } from './archive-behind.ts';
import { CONTENT, type FakeStore, startFakeStore } from './fake-store.ts';
import { asProject, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

let harness: TestGateway;
let store: FakeStore;

before(async () => {
  store = await startFakeStore();
  harness = await startTestGateway({
    projects: { getProject: async () => ({ projectName: 'Stories', project: asProject() }) },
  });
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const archive = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/export/project.zip`, {
    headers: { ...harness.bearer, ...headers },
    ...init,
  });

test('an archive has a length, a name and ranges, wherever its bytes are stored', async () => {
  store.answer = serveContent;
  archiveBehind(harness, store);
  const response = await archive({ 'accept-encoding': 'gzip, br' });
  const expected = {
    'content-type': 'application/zip',
    'content-length': String(ZIP.length),
    'content-disposition': `attachment; filename="Stories - project.zip"`,
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
    const requested = archiveBehind(harness, store);
    const response = await archive(headers);
    assert.equal(response.status, status);
    assert.deepEqual(requested.opened, [opened]);
    const body = Buffer.from(await response.arrayBuffer());
    if (bytes) assert.ok(body.equals(bytes));
    else assert.equal(response.headers.get('content-range'), `bytes */${ZIP.length}`);
  });
}

test('a rest without If-Range is not sent if the client may have bytes of another archive', async () => {
  store.answer = serveContent;
  const requested = archiveBehind(harness, store);
  const [resumed, rest] = [{ etag: '', resume: true }, { range: 'bytes=3-' }];
  assert.equal((await archive(rest)).status, 206, 'only one archive was opened');
  requested.mayDiffer = true;
  const whole = await archive(rest);
  assert.deepEqual([whole.status, whole.headers.get('content-range')], [200, null]);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(ZIP));
  assert.deepEqual(requested.opened, [resumed, resumed, FRESH], 'the whole archive is of the current project');
  assert.equal((await archive({ ...rest, 'if-range': ZIP_ETAG })).status, 206);
  assert.equal(
    (await archive({ range: 'bytes=-5' })).status,
    206,
    'the directory, by which a reader of archives begins',
  );
});

test('HEAD of an archive returns its length without reading it', async () => {
  const requested = archiveBehind(harness, store);
  const response = await archive({ range: 'bytes=3-' }, { method: 'HEAD' });
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(ZIP.length)]);
  assert.equal(response.headers.get('etag'), ZIP_ETAG);
  assert.deepEqual([requested.opened, requested.located], [[FRESH], 0]);
});

test('after the store breaks off in an archive, the gateway reads the rest', async () => {
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

test('the next object of an archive is opened before the current one ends', async () => {
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
  test(`the open objects of an archive are closed when ${how}`, async () => {
    const requested = archiveBehind(harness, store);
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
    if (how === 'something is erased') requested.isErased = true;
    else leave.abort();
    await Promise.all([reading, first.promise, next.promise]);
  });

test('a missing object is reported; it breaks the connection, or is an error if nothing was sent yet', async () => {
  const requested = archiveBehind(harness, store);
  store.answer = (_request, response) => response.writeHead(404).end('<Error>NoSuchKey</Error>');
  await assert.rejects(archive().then(response => response.arrayBuffer()));
  const response = await archive({ range: `bytes=${ZIP_HEADER_BYTES + 3}-`, 'if-range': ZIP_ETAG });
  assert.equal(response.status, 503);
  assert.match(((await response.json()) as { error: string }).error, /ask for the export again/);
  for (const name of ['etag', 'content-range', 'content-disposition', 'accept-ranges'])
    assert.equal(response.headers.get(name), null, name);
  assert.deepEqual(requested.reported, [ZIP_HEADER_BYTES, ZIP_HEADER_BYTES + 3]);
});

test('an erasure ends a running download, also while it waits for the store or its reader', async () => {
  const requested = archiveBehind(harness, store);
  const { promise: left, resolve } = Promise.withResolvers<void>();
  store.answer = (_request, response) => {
    response.on('close', resolve);
    response.writeHead(206, { 'content-length': CONTENT.length }).write('x');
  };
  const response = await archive();
  assert.equal(response.status, 200);
  requested.isErased = true;
  await assert.rejects(response.arrayBuffer());
  await left;
});
