import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { until } from '@recording-request/testing/wait';
import { WAITING_IN_ALL, WAITING_MAX } from '../src/plugins/request-queue.ts';
import { type FakeStore, mediaAt, startFakeStore } from './fake-store.ts';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

const MANY = 6_000;
const MEDIA_PER_TOKEN = 8;
const user = { userId: OWNER_ID, userName: 'Ada', videoLimit: 10, videosReserved: 3, createdAt: new Date(0) };

let harness: TestGateway;
let store: FakeStore;
/** The number of running service calls for projects and media, and the highest number so far. */
let running = 0;
let most = 0;

const counted =
  <Request, Answer>(answer: (request: Request) => Promise<Answer>) =>
  async (request: Request) => {
    running += 1;
    most = Math.max(most, running);
    // Waits several turns of the event loop, so that all concurrent calls have started.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve));
    running -= 1;
    return answer(request);
  };

before(async () => {
  store = await startFakeStore();
  harness = await startTestGateway(
    {
      accounts: { getUser: async () => ({ user }) },
      projects: {
        getProject: counted(async () => ({ projectName: 'Stories', project: asProject() })),
        resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
      },
      submissions: { getMedia: counted(mediaAt(store)), countSubmissions: async () => ({ counts: {} }) },
    },
    {
      MEDIA_AT_ONCE_PER_TOKEN: String(MEDIA_PER_TOKEN),
      // Larger than the number of requests in this test, because the test checks the connection's limit.
      RATE_LIMIT_TOKEN_PER_MINUTE: '1000000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
      RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: '1000000',
    },
  );
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const clip = `/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}`;

const head = (path: string, headers: Record<string, string> = {}) =>
  [`GET ${path} HTTP/1.1`, 'Host: h', ...Object.entries(headers).map(pair => pair.join(': ')), '', ''].join('\r\n');

const asOwner = (path: string, headers: Record<string, string> = {}) => head(path, { ...harness.bearer, ...headers });

function open(): Socket {
  const socket = connect(Number(new URL(harness.base).port), '127.0.0.1');
  // The gateway ends a connection while the test still writes to it.
  socket.on('error', () => {});
  return socket;
}

/**
 * Sends requests ahead on one connection. Returns everything received as soon as `enough` accepts it or the connection
 * ends.
 */
async function pipeline(requests: string[], enough: (received: string) => boolean): Promise<string> {
  const socket = open();
  let received = '';
  const ended = new Promise<void>(resolve => {
    socket.on('close', () => resolve());
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (enough(received)) resolve();
    });
  });
  socket.write(requests.join(''));
  await ended;
  socket.destroy();
  return received;
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const never = () => false;

const me = async () => (await fetch(`${harness.base}/api/me`, { headers: harness.bearer })).status;

const FLOODS: [name: string, request: () => string][] = [
  ['/api/me', () => asOwner('/api/me')],
  ['a project', () => asOwner(`/api/projects/${PROJECT_ID}`)],
  ['ranges of a video', () => asOwner(`${clip}/video`, { range: 'bytes=0-9' })],
  ['thumbnails', () => asOwner(`${clip}/thumbnail-start`)],
  ['unknown routes', () => head('/r/x/y/z')],
  ['the thank-you page', () => head(`/r/${mintToken('vr')}/thank-you`)],
];

for (const [name, request] of FLOODS) {
  test(`thousands of pipelined requests for ${name} run one at a time, and are refused beyond ${WAITING_MAX}`, async () => {
    most = 0;
    const [received, status] = await Promise.all([pipeline(Array(MANY).fill(request()), never), me()]);
    assert.equal(status, 200);
    assert.ok(most <= 1, `${most} ran at once`);
    const got = statuses(received);
    assert.ok(got.length <= WAITING_MAX + 2, `${got.length} were answered`);
    assert.equal(got.at(-1), 429, 'the last answer says why the connection ends');
    assert.match(received, /\r\nError-Code: rate_limited\r\n(?:.*\r\n)*Connection: close\r\n\r\n\{"error":"[^"]+"\}$/);
  });
}

test('pipelined requests within the bound are all answered, in their order', async () => {
  const paths = Array.from({ length: WAITING_MAX }, (_, at) =>
    at % 3 === 0 ? '/nothing' : at % 3 === 1 ? '/api/me' : clip,
  );
  most = 0;
  const received = await pipeline(
    paths.map(path => asOwner(path)),
    text => statuses(text).length === paths.length,
  );
  assert.deepEqual(
    statuses(received),
    paths.map(path => (path === '/api/me' ? 200 : 404)),
  );
});

test('unread pipelined videos and thumbnails hold one place, and none after their connection closed', async () => {
  store.answer = (_request, response) => response.writeHead(200, { 'content-length': 1_000 }).write('x');
  const videos = async () => {
    const leave = new AbortController();
    const open = Array.from({ length: MEDIA_PER_TOKEN }, () =>
      fetch(`${harness.base + clip}/video`, { headers: harness.bearer, signal: leave.signal }),
    );
    const got = (await Promise.all(open)).map(({ status }) => status);
    leave.abort();
    return got.filter(status => status === 200).length;
  };
  for (let round = 0; round < 3; round += 1) {
    const socket = open();
    socket.write(
      asOwner(`${clip}/video`) + asOwner(`${clip}/thumbnail-start`).repeat(20) + asOwner(`${clip}/video`).repeat(20),
    );
    await once(socket, 'data');
    assert.ok((await videos()) >= MEDIA_PER_TOKEN - 1, 'a connection holds one video at most');
    socket.destroy();
  }
  await until('all places are free again', async () => (await videos()) === MEDIA_PER_TOKEN);
});

test('the waiting requests of one address, on all its connections, have a limit', async () => {
  const { promise: leave, resolve } = Promise.withResolvers<void>();
  const { getProject } = harness.behind.projects!;
  let begun = 0;
  harness.behind.projects!.getProject = async () => {
    begun += 1;
    await leave;
    return { project: asProject() };
  };
  const request = asOwner(`/api/projects/${PROJECT_ID}`, { 'x-padding': 'x'.repeat(10_000) });
  const many = Math.ceil(WAITING_IN_ALL / WAITING_MAX) * 2;
  let ended = 0;
  const sockets = Array.from({ length: many }, () => {
    const socket = open().resume();
    socket.once('close', () => {
      ended += 1;
    });
    socket.write(request.repeat(WAITING_MAX));
    return socket;
  });
  // One address gets at most half of all places.
  const mayStay = WAITING_IN_ALL / WAITING_MAX / 2 + 1;
  await until('connections beyond the bound have ended', async () => ended >= many - mayStay);
  assert.ok(begun <= many, `${begun} ran at once on ${many} connections`);
  resolve();
  harness.behind.projects!.getProject = getProject!;
  for (const socket of sockets) socket.destroy();
  await until('places are free again', async () => {
    const received = await pipeline(Array(50).fill(asOwner('/api/me')), text => statuses(text).length === 50);
    return statuses(received).every(status => status === 200);
  });
});

test('a crowded connection gets no 429 while a write is running', async () => {
  const { promise: leave, resolve } = Promise.withResolvers<void>();
  harness.behind.projects!.rotateDashboardToken = async () => {
    await leave;
    return { projectToken: 'prj_new' };
  };
  const post = `POST /api/projects/${PROJECT_ID}/dashboard-token HTTP/1.1\r\nHost: h\r\nAuthorization: ${harness.bearer.authorization}\r\nContent-Length: 0\r\n\r\n`;
  const received = await pipeline([post, ...Array(WAITING_MAX + 1).fill(asOwner('/api/me'))], never);
  resolve();
  assert.equal(received, '');
});

test('a CONNECT that is reset at once breaks nothing else', async () => {
  const resets = Array.from({ length: 60 }, async (_, at) => {
    const socket = open();
    await once(socket, 'connect');
    socket.write(`${at % 2 ? asOwner('/api/me') : ''}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise(done => setImmediate(done));
    socket.resetAndDestroy();
  });
  await Promise.all(resets);
  assert.equal(await me(), 200);
});
