import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { asProject, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

let harness: TestGateway;
before(async () => {
  harness = await startTestGateway();
});
after(() => harness[Symbol.asyncDispose]());

const path = `/api/projects/${PROJECT_ID}`;

/** Sends a request and disconnects while a service works on it. Returns the signal of the call to the service. */
async function leave(init: RequestInit, arrived: Promise<AbortSignal>): Promise<AbortSignal> {
  const client = new AbortController();
  const answer = fetch(harness.base + path, {
    ...init,
    headers: { ...harness.bearer, 'content-type': 'application/json' },
    signal: client.signal,
  });
  const signal = await Promise.race([
    arrived,
    answer.then(response => Promise.reject(new Error(`${response.status}`))),
  ]);
  client.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  return signal;
}

test('a client that leaves a read cancels its calls to every service', async () => {
  const project = Promise.withResolvers<AbortSignal>();
  const counts = Promise.withResolvers<AbortSignal>();
  const held = (call: PromiseWithResolvers<AbortSignal>) => (_request: unknown, context: { signal: AbortSignal }) => {
    call.resolve(context.signal);
    return new Promise<never>(() => {});
  };
  harness.behind.projects = { getProject: held(project) };
  harness.behind.submissions = { countSubmissions: held(counts) };
  await leave(
    {},
    Promise.all([project.promise, counts.promise]).then(([signal]) => signal),
  );
  for (const signal of [await project.promise, await counts.promise]) {
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
  }
});

test('a write continues without its client', async () => {
  const arrived = Promise.withResolvers<AbortSignal>();
  const gone = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<void>();
  harness.behind.projects = {
    async updateProject(_request, { signal }) {
      arrived.resolve(signal);
      await gone.promise;
      return { project: asProject() };
    },
  };
  harness.behind.submissions = {
    async countSubmissions() {
      counted.resolve();
      return { counts: {} };
    },
  };
  const body = { method: 'PATCH', body: JSON.stringify({ projectName: 'x' }) };
  const signal = await leave(body, arrived.promise);
  // When the gateway answers another request, it has seen the end of the first connection.
  await fetch(`${harness.base}/healthz`);
  assert.equal(signal.aborted, false);
  gone.resolve();
  await counted.promise;
});
