/**
 * One owner reads many lists of thousands of links at once, requests more lists without reading the HTTP responses, and
 * creates many such projects at once. None of this may end a process. This is a separate file, because its services
 * have a small heap.
 */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import type { ProjectCreatedJson, ProjectLinksJson } from '@recording-request/contract/resources/project';
import { SERVICES } from '@recording-request/stack/service-plan';
import { startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';

/** A list of this length takes 0.8 MB. A process that holds the whole list needs about 4 MB. */
const LINKS = 2_000;
const HEAP_MB = 112;
const READERS = 60;
const UNREAD = 110;
const CREATIONS = 30;

await using starting = new AsyncDisposableStack();
const system = starting.use(
  await startTestSystem({
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`, CONNECTIONS_PER_ADDRESS: '1000' },
  }),
);
const busy = await system.newOwner('Ada');
const other = await system.newOwner('Bob');
const started = starting.move();
after(() => started.disposeAsync());

const pids = () => SERVICES.map(name => system.services[name].pid);
const before = pids();

/**
 * Sends the other owner's requests until the work is done. A request may return 503 if a call behind it exceeds 5 s.
 */
async function answeredDuring<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => {});
  while (!isDone) assert.equal((await other.ask('/api/me')).status, 200);
  return await work;
}

const headers = { authorization: `Bearer ${busy.token}` };

/** Reads a whole answer. Returns undefined for a refusal, which must have `Retry-After`. */
async function answerOf<T>(response: Response): Promise<T | undefined> {
  if (response.status === 200) return (await response.json()) as T;
  assert.ok([429, 503].includes(response.status), `${response.status} ${await response.text()}`);
  assert.ok(response.headers.get('retry-after'));
  return undefined;
}

async function create(key: string): Promise<ProjectCreatedJson | undefined> {
  const response = await fetch(`${system.baseUrl}/api/projects`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ projectName: 'Many', count: LINKS }),
  });
  return await answerOf<ProjectCreatedJson>(response);
}

const project = await create('first');
const path = `/api/projects/${project!.projectId}/links`;
const links = async () => await answerOf<ProjectLinksJson>(await fetch(system.baseUrl + path, { headers }));

test('many concurrent lists of a large project end no process and do not block another owner', async () => {
  assert.equal(project!.recipientUrls.length, LINKS);
  const reading = Promise.all(Array.from({ length: READERS }, links));
  const whole = (await answeredDuring(reading)).filter(answer => answer !== undefined);
  assert.ok(whole.length > 0);
  for (const { recipientUrls } of whole) assert.equal(recipientUrls.length, LINKS);
  assert.deepEqual(pids(), before);
});

test('unread answers end no process', async () => {
  const { hostname, port } = new URL(system.baseUrl);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
  const answered: boolean[] = [];
  const sockets = Array.from({ length: UNREAD }, (_, index): Socket => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.once('readable', () => (answered[index] = true));
    socket.write(request);
    return socket;
  });
  await answeredDuring(until('the start of each answer', () => answered.filter(Boolean).length === UNREAD));
  for (const socket of sockets) socket.destroy();
  await until('another list', async () => (await links()) !== undefined);
  assert.deepEqual(pids(), before);
});

test('many large projects created at once end no process, and a repeat gets the same answer', async () => {
  const making = Promise.all(Array.from({ length: CREATIONS }, (_, index) => create(`key ${index}`)));
  const made = await answeredDuring(making);
  assert.ok(made.some(each => each?.recipientUrls.length === LINKS));
  assert.deepEqual(await create('first'), project);
  assert.deepEqual(pids(), before);
});
