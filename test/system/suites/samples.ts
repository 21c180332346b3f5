import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { preludes, type Sampled, samplesOf } from '@recording-request/gateway/docs/request-samples';
import { ok } from '@recording-request/harness/http-client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { PNG } from '../harness/picture.ts';
import { type RecordedRequest, startRecordingProxy } from '../harness/recording-proxy.ts';
import { startSampleRunner } from '../harness/sample-runner.ts';
import { type Ids, makeSampleWorld, pathOf } from '../harness/sample-world.ts';

// These operations remove data that other samples need, so they run last, in this order.
const LAST = ['removeLogo', 'rotateDashboardToken', 'eraseSubmission', 'eraseLink', 'eraseProject', 'getErasure'];
// No work on the clip has failed, so the API refuses these requests with a sentence.
const REFUSED: Record<string, RegExp> = {
  requestTranscript: /once it has failed/,
  requestMedia: /nothing to make again/,
};
// The example of a `confirm` in the description.
const CONFIRM = /k1\.\w+/;

/** Runs the samples of `/api/docs` in each language, and compares the requests that they send with the description. */
export function samples({ system, owner }: { system: TestSystem; owner: Owner }): void {
  describe('the sample of each operation', () => {
    for (const language of ['curl', 'typescript', 'python'] as const)
      test(`in ${language} sends the described request and succeeds`, async t => {
        await using proxy = await startRecordingProxy(system.baseUrl);
        await using receiver = await startReceiver();
        const world = await makeSampleWorld(owner, receiver.url);
        const folder = join(system.scratch, `samples-${language}`);
        await using runner = await startSampleRunner(language, folder, { TOKEN: owner.token });
        await writeFile(join(folder, 'clip.webm'), world.recording);
        await writeFile(join(folder, 'logo.png'), PNG);
        const operations = await operationsOf(owner);
        const faults: string[] = [];
        for (const operation of operations) {
          const { operationId } = operation;
          const ids = await world.idsOf(operation);
          const sample = samplesOf(operation)[language];
          const confirmed = CONFIRM.test(sample)
            ? sample.replace(CONFIRM, await world.confirm(operation, ids))
            : sample;
          const program = `${preludes(proxy.url, ids)[language]}\n${confirmed}`;
          proxy.requests.length = 0;
          const error = await runner.run(operationId, program);
          const refused = REFUSED[operationId];
          if (refused ? !refused.test(error) : error !== '') faults.push(`${operationId}: ${error}\n${program}`);
          else if (!proxy.requests.some(each => isDescribed(operation, ids, each)))
            faults.push(`${operationId} sent ${proxy.requests.map(textOf).join(', ')}\n${program}`);
        }
        t.diagnostic(`${operations.length} samples`);
        assert.deepEqual(faults, [], faults.join('\n\n'));
      });
  });
}

async function operationsOf({ ask }: Owner): Promise<Sampled[]> {
  const { paths } = ok(await ask('/api/openapi.json')) as { paths: Record<string, Record<string, Sampled>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })),
  );
  return all.sort((a, b) => LAST.indexOf(a.operationId) - LAST.indexOf(b.operationId));
}

/** Returns whether a request is the described request of an operation, with the values of its examples. */
function isDescribed(
  { method, path, security = [], parameters = [], requestBody }: Sampled,
  ids: Ids,
  sent: RecordedRequest,
) {
  const { pathname, searchParams } = new URL(sent.url, 'http://proxy');
  const [shown] = parameters.filter(each => each.in === 'query' && each.example !== undefined);
  const { example } = requestBody?.content['application/json'] ?? {};
  return (
    sent.method === method &&
    pathname === pathOf(path, ids) &&
    (!shown || searchParams.get(shown.name) === String(shown.example)) &&
    'authorization' in sent.headers === security.length > 0 &&
    (example === undefined || isSame(JSON.parse(sent.body), example))
  );
}

const textOf = ({ method, url, body }: RecordedRequest) => `${method} ${url} ${body.slice(0, 1_000)}`;
const isSame = (body: object, example: unknown): boolean =>
  JSON.stringify(sorted(body)) === JSON.stringify(sorted(example as object));
/** Returns the fields of a body in one order, without the value of `confirm`. */
const sorted = (body: object) =>
  Object.entries(body)
    .map(([name, value]) => [name, name === 'confirm' ? '' : value])
    .sort(([a], [b]) => a.localeCompare(b));
