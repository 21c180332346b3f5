import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { ExportFormat } from '@recording-request/proto/exports/v1/exports';
import { until } from '@recording-request/testing/wait';
import { archiveBehind, serveContent } from './archive-behind.ts';
import { CONTENT, type FakeStore, mediaAt, partsAt, servePart, startFakeStore } from './fake-store.ts';
import { mediaContract } from './media-contract.ts';
import { bounds, videoBounds } from './stream-bounds.ts';
import {
  asProject,
  type FakeServices,
  OWNER_ID,
  PROJECT_ID,
  SUBMISSION_ID,
  startTestGateway,
  type TestGateway,
} from './test-service.ts';

const MANY_READERS = 60;
let harness: TestGateway;
/** A gateway with media in parts. */
let inParts: TestGateway;
/** A gateway that sends only a few streams at the same time. */
let bounded: TestGateway;
let store: FakeStore;

before(async () => {
  store = await startFakeStore();
  const behind: FakeServices = {
    projects: {
      getProject: async () => ({ projectName: 'Stories', project: asProject() }),
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
  // One token gets a quarter.
  harness = await startTestGateway(behind, { EXPORTS_AT_ONCE: String(4 * MANY_READERS) });
  inParts = await startTestGateway({ ...behind, submissions: { getMedia: partsAt(store) } });
  bounded = await startTestGateway(behind, { EXPORTS_AT_ONCE: '8', MEDIA_AT_ONCE: '4' });
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await inParts[Symbol.asyncDispose]();
  await bounded[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

mediaContract('media from the gateway itself', {
  gateway: () => harness,
  base: () => harness.base,
  answer: listener => (store.answer = listener),
});

mediaContract(
  'media in parts from the gateway itself',
  { gateway: () => inParts, base: () => inParts.base, answer: listener => (store.answer = listener) },
  servePart,
);

test('every range of a medium in parts has its bytes', async () => {
  store.answer = servePart;
  const path = `/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`;
  for (const start of [0, 1, 149, 150, 449, 450, 999])
    for (const end of [start, 149, 150, 300, 599, 999].filter(each => each >= start)) {
      const headers = { ...inParts.bearer, range: `bytes=${start}-${end}` };
      const response = await fetch(inParts.base + path, { headers });
      assert.equal(response.status, 206);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT.subarray(start, end + 1), headers.range);
    }
});

test('a range of a medium that was replaced after its look-up comes from the new medium', async () => {
  store.answer = servePart;
  const { submissions } = inParts.behind;
  const { getMedia } = submissions!;
  let looks = 0;
  // The first look-up returns the old medium, whose parts end before the range begins.
  submissions!.getMedia = async request => {
    looks += 1;
    return looks === 1 ? { ...(await partsAt(store)(request)), etag: '"e0"' } : await mediaAt(store)(request);
  };
  store.answer = (request, response) =>
    (request.url!.startsWith('/part/') ? servePart : serveContent)(request, response);
  try {
    const path = `/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/thumbnail-end`;
    const response = await fetch(inParts.base + path, { headers: { ...inParts.bearer, range: 'bytes=990-999' } });
    assert.deepEqual([response.status, response.headers.get('etag')], [206, '"e1"']);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT.subarray(990));
  } finally {
    submissions!.getMedia = getMedia!;
  }
});

test('a read of a medium in parts resumes when the store breaks off, and ends when it was replaced', async () => {
  const path = `${inParts.base}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`;
  const ask = async () => Buffer.from(await (await fetch(path, { headers: inParts.bearer })).arrayBuffer());
  let cuts = 0;
  store.answer = (request, response) => {
    if (cuts++ % 2 === 0) return servePart(request, response);
    response.writeHead(200, { 'content-length': 150 }).write(Buffer.alloc(0));
    response.destroy();
  };
  assert.deepEqual(await ask(), CONTENT);
  store.answer = servePart;
  const { submissions } = inParts.behind;
  const { getMedia } = submissions!;
  submissions!.getMedia = async request => ({
    ...(await getMedia!(request, {} as never)),
    etag: request.offset ? '"e2"' : '"e1"',
  });
  await assert.rejects(ask(), 'its first parts are not followed by parts of another medium');
  submissions!.getMedia = getMedia!;
});

const video = (headers: Record<string, string> = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`, {
    headers: { ...harness.bearer, ...headers },
  });

/** Makes the store break off the first answer after some bytes. */
function breakOffOnce(meanwhile = () => {}): void {
  store.answer = (request, response) => {
    store.answer = serveContent;
    const length = CONTENT.length - Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(request.headers.range ? 206 : 200, { 'content-length': length });
    response.write(CONTENT.subarray(CONTENT.length - length, CONTENT.length - length + 300), () => response.destroy());
    meanwhile();
  };
}

test('a video resumes at the next byte when the store breaks off, as it does when a player pauses', async () => {
  breakOffOnce();
  assert.ok(Buffer.from(await (await video()).arrayBuffer()).equals(CONTENT));
  breakOffOnce();
  assert.ok(Buffer.from(await (await video({ range: 'bytes=100-' })).arrayBuffer()).equals(CONTENT.subarray(100)));
});

test('a video that is erased or replaced while it is sent does not resume', async () => {
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

test('an export is passed on unchanged, with its filter and whether links may be seen', async () => {
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
  assert.equal(response.headers.get('content-disposition'), `attachment; filename="Stories - transcripts.txt"`);
  assert.equal((await response.arrayBuffer()).byteLength, 100_002);
  assert.deepEqual(seen, { filter: { selected: true, transcriptStatus: 0 }, includeLinks: true, ownerId: OWNER_ID });
  const few = { authorization: `Bearer ${harness.tokenWith(['submissions:read'])}` };
  await (await exported({ headers: few })).arrayBuffer();
  assert.equal((seen as { includeLinks: boolean }).includeLinks, false);
});

test('transcripts.zip has the filter of owners, and no filter for the dashboard', async () => {
  const seen: unknown[] = [];
  harness.behind.exports = {
    async *export({ filter, format }) {
      seen.push({ filter, format });
      yield { chunk: Buffer.alloc(0) };
      yield { chunk: Buffer.from('PK') };
    },
  };
  const format = ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP;
  const query = 'export/transcripts.zip?selected=true&transcriptStatus=completed';
  for (const [path, filter] of [
    [`/api/projects/${PROJECT_ID}`, { selected: true, transcriptStatus: 3 }],
    [`/project/${mintToken('prj')}`, undefined],
  ] as const) {
    const response = await fetch(`${harness.base}${path}/${query}`, { headers: filter ? harness.bearer : {} });
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="Stories - transcripts.zip"');
    assert.equal(await response.text(), 'PK');
    assert.deepEqual(seen.pop(), { filter, format });
  }
  const wrong = await fetch(`${harness.base}/api/projects/${PROJECT_ID}/export/transcripts.zip?q=x`, {
    headers: harness.bearer,
  });
  assert.equal(wrong.status, 400);
});

test('an error before the first byte is JSON', async () => {
  harness.behind.exports = {
    // biome-ignore lint/correctness/useYield: it fails before it yields
    async *export() {
      throw new DomainError('not_found', 'There is no such project.');
    },
  };
  const response = await exported();
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: 'There is no such project.' });
  assert.equal(response.headers.get('content-disposition'), null);
});

test('an export without data is an error in JSON, and its call is cancelled', async () => {
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

test('only a CSV has a byte order mark, and only if the client requests it', async () => {
  harness.behind.exports = {
    async *export() {
      yield { chunk: Buffer.from('a,b') };
    },
  };
  const textOf = async (path: string, headers = {}) =>
    Buffer.from(await (await fetch(`${harness.base}${path}`, { headers })).arrayBuffer()).toString();
  const [owners, dashboards] = [`/api/projects/${PROJECT_ID}`, `/project/${mintToken('prj')}`];
  assert.equal(await textOf(`${owners}/export.csv?bom=1`, harness.bearer), '\ufeffa,b');
  assert.equal(await textOf(`${owners}/export.csv?bom=0`, harness.bearer), 'a,b');
  assert.equal(await textOf(`${owners}/export.csv`, harness.bearer), 'a,b');
  assert.equal(await textOf(`${dashboards}/export.csv?bom=1&selected=true`), '\ufeffa,b');
  assert.equal(await textOf(`${dashboards}/export/transcripts.txt?bom=1`), 'a,b');
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

test('a client that leaves cancels the work behind an export', async () => {
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

test('a slow reader slows an export down: the data made ahead has a limit', async () => {
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
  // The service has stopped if it has made no message for a while.
  while (made !== before) {
    before = made;
    await delay(300);
  }
  assert.ok(made < 200, `${made} chunks of 256 KiB were made for a reader that reads nothing`);
  await reader.cancel();
});

test('HEAD of an export only checks that the project exists', async () => {
  harness.behind.exports = {};
  const response = await exported({ method: 'HEAD', headers: harness.bearer });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
});

/** An export that continues until its reader leaves. */
const endless: NonNullable<FakeServices['exports']> = {
  async *export(_request, { signal }) {
    for (let made = 0; made < 4; made++) yield { chunk: Buffer.alloc(256 * 1024) };
    await new Promise(resolve => signal.addEventListener('abort', resolve));
  },
};

test('many slow readers of exports do not block contributors', async () => {
  harness.behind.exports = endless;
  const leave = new AbortController();
  const reading = await Promise.all(Array.from({ length: MANY_READERS }, () => exported({ signal: leave.signal })));
  assert.ok(reading.every(({ status }) => status === 200));
  const begun = await fetch(`${harness.base}/r/${mintToken('vr')}/responses`, { method: 'POST' });
  assert.equal(begun.status, 201, `a contributor cannot begin: ${await begun.text()}`);
  leave.abort();
  await Promise.allSettled(reading.map(response => response.arrayBuffer()));
});

test('concurrent exports have a limit per token, per owner and in total: one more is 429, until one ends', async () => {
  archiveBehind(bounded, store);
  store.answer = (_request, response) => response.writeHead(206, { 'content-length': CONTENT.length }).write('x');
  bounded.behind.exports = { ...bounded.behind.exports, ...endless };
  for (const file of ['export/project.zip', 'export/transcripts.txt', 'export/transcripts.zip'])
    await bounds(
      { gateway: bounded, base: bounded.base },
      file,
      { all: 5, owner: 3, token: 2 },
      /^Too many exports are being read; /,
    );
});

test('concurrent videos have the same limits; pictures do not count', async () => {
  store.answer = (_request, response) => response.writeHead(200, { 'content-length': 1_000 }).write('x');
  await videoBounds({ gateway: bounded, base: bounded.base });
});

test('a client with the current video, or with a range outside it, needs no place', async () => {
  store.answer = (_request, response) => response.writeHead(200, { 'content-length': CONTENT.length }).write('x');
  const leave = new AbortController();
  const open: Response[] = [];
  const read = async (headers: Record<string, string> = {}) => {
    const path = `/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`;
    const response = await fetch(bounded.base + path, {
      headers: { ...bounded.bearer, ...headers },
      signal: leave.signal,
    });
    open.push(response);
    return response.status;
  };
  await until('no place is left', async () => (await read()) === 429);
  assert.equal(await read({ 'if-none-match': '"e1"' }), 304);
  assert.equal(await read({ range: 'bytes=5000-' }), 416);
  assert.equal(await read({ 'if-none-match': '"older"' }), 429);
  leave.abort();
});
