import assert from 'node:assert/strict';
import { test } from 'node:test';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { startSending } from '@recording-request/kit-telemetry/signals';
import { until } from '@recording-request/testing/wait';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new TracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
startSending({ traces: true, metrics: false, logs: false });
// Import this only now, because the module uses the trace provider that is registered when it loads.
const { asProject, PROJECT_ID, SUBMISSION_ID, startTestGateway } = await import('./test-service.ts');

test('a request leaves no span under the id of a clip or a project unless its sender has access', async () => {
  const getProject = async () => ({ projectName: 'Stories', project: asProject() });
  const submissions = { countSubmissions: async () => ({ counts: {} }) };
  await using gateway = await startTestGateway({ projects: { getProject }, submissions });
  const path = `/api/projects/${PROJECT_ID}`;
  const spanOf = async (answer: Response) => {
    const traceId = answer.headers.get('request-id');
    const spans = () => exporter.getFinishedSpans().filter(span => span.spanContext().traceId === traceId);
    await until('its span', () => spans().length > 0);
    return spans().find(({ attributes }) => attributes['http.route'] !== undefined)!;
  };
  for (const init of [{}, { headers: { authorization: `Bearer api_${'x'.repeat(40)}` } }]) {
    for (const address of [path, `${path}/submissions/${SUBMISSION_ID}`]) {
      const refused = await fetch(gateway.base + address, init);
      assert.equal(refused.status, 401);
      const { attributes } = await spanOf(refused);
      const ids = Object.keys(attributes).filter(name => name.startsWith('recording.'));
      assert.deepEqual(ids, [], 'no ids before the access check');
    }
  }
  const answer = await fetch(gateway.base + path, { headers: gateway.bearer });
  assert.equal(answer.status, 200);
  assert.equal((await spanOf(answer)).attributes['recording.project.id'], PROJECT_ID);
});
