import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SPAN_KIND } from '@recording-request/demo/otlp-json';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { isUuid } from '@recording-request/kit/ids';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';

interface Line {
  level: string;
  service: string;
  msg: string;
  method?: string;
  route?: string;
  status?: number;
  kind?: string;
  trace_id?: string;
  span_id?: string;
  requestId?: string;
  projectId?: string;
  submissionId?: string;
  uploadId?: string;
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
/** Routes whose path, token or answer identifies the project. */
const ABOUT_PROJECT = /:projectId|\/project\/:projectToken|\/r\/:token(?!\/thank-you)|^POST \/api\/projects$/;
const ABOUT_UPLOAD = /^POST .*\/uploads\/?$|:uploadId/;
const isOfRequest = ({ method, route }: Line) => method !== undefined && route !== undefined;

/** Tests the log lines that the services wrote during all earlier suites of this file. These suites caused no fault. */
export function logLines(seed: SeedData, traces: TraceReceiver): void {
  const lines = async (): Promise<Line[]> =>
    (await seed.system.logs())
      .split('\n')
      .filter(line => line.startsWith('{') && line.endsWith('}'))
      .map(line => JSON.parse(line) as Line);
  const ofRequests = async (service: string) =>
    (await lines()).filter(line => line.service === service && isOfRequest(line));

  describe('log lines', () => {
    for (const service of ['gateway', 'submissions'])
      test(`each request to ${service} has one line, and each such line has a request`, async () => {
        const spans = () =>
          traces.spans.filter(
            ({ service: of, kind, attributes }) =>
              of === service && kind === SPAN_KIND.server && 'http.request.method' in attributes,
          );
        const different = async () =>
          difference(
            spans().map(({ traceId, spanId }) => `${traceId} ${spanId}`),
            (await ofRequests(service)).map(({ trace_id, span_id }) => `${trace_id} ${span_id}`),
          );
        await until('as many lines as requests', async () => (await different()).length === 0, SYSTEM_WAIT).catch(
          () => undefined,
        );
        assert.deepEqual(await different(), []);
        assert.ok(spans().length > 5);
      });

    test('a request’s line has its trace and the ids of its route', async () => {
      for (const line of await ofRequests('gateway')) {
        assert.equal(line.requestId, line.trace_id);
        const { method, route = '', status = 0 } = line;
        if (status >= 300) continue;
        if (ABOUT_PROJECT.test(`${method} ${route}`)) assert.ok(isUuid(line.projectId ?? ''), route);
        if (ABOUT_UPLOAD.test(`${method} ${route}`)) assert.ok(isUuid(line.uploadId ?? ''), route);
        if (route.includes(':submissionId')) assert.ok(isUuid(line.submissionId ?? ''), route);
      }
      const sent = (await ofRequests('submissions')).filter(
        ({ method = '', status }) => ['POST', 'PATCH'].includes(method) && status! < 400,
      );
      assert.ok(sent.length > 0);
      for (const line of sent) assert.ok(isUuid(line.uploadId ?? '') && isUuid(line.projectId ?? ''));
    });

    test('each job has one line, with its trace and the ids of its clip', async () => {
      const { submissionId, projectId } = seed.clip;
      const jobs = (await lines()).filter(line => line.msg === 'A job has ended' && line.submissionId === submissionId);
      assert.deepEqual(jobs.map(({ kind }) => kind).toSorted(), ['media', 'transcript']);
      for (const job of jobs) {
        assert.equal(job.projectId, projectId);
        assert.match(`${job.trace_id} ${job.span_id}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
      }
    });

    test('no line is an error, because nothing was a fault', async () => {
      const errors = (await lines()).filter(({ level }) => level === 'error' || level === 'fatal');
      assert.deepEqual(errors, []);
    });

    test('each line is also sent as a log record with its level and trace', async () => {
      const logged = async () =>
        (await ofRequests('gateway')).map(({ level, trace_id, msg }) => `${level} ${trace_id} ${msg}`);
      const sent = () =>
        traces.records
          .filter(({ service, attributes }) => service === 'gateway' && 'route' in attributes)
          .map(({ level, traceId, message }) => `${level} ${traceId} ${message}`);
      const missing = async () => difference(await logged(), sent());
      await until('every record', async () => (await missing()).length === 0, SYSTEM_WAIT).catch(() => undefined);
      assert.deepEqual(await missing(), []);
    });

    test('the gateway keeps the ingress’s traceparent and drops a client’s', async () => {
      const requestId = async (headers: Record<string, string>) =>
        (await fetch(`${seed.system.baseUrl}/api/nothing`, { headers })).headers.get('request-id');
      assert.equal(await requestId({ traceparent: TRACEPARENT, 'x-forwarded-for': '203.0.113.9' }), TRACE_ID);
      assert.notEqual(await requestId({ traceparent: TRACEPARENT }), TRACE_ID);
    });
  });
}

/** Returns the items that occur more often in one list than in the other. */
function difference(one: string[], other: string[]): string[] {
  const counts = new Map<string, number>();
  for (const each of one) counts.set(each, (counts.get(each) ?? 0) + 1);
  for (const each of other) counts.set(each, (counts.get(each) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).map(([each, count]) => `${count} ${each}`);
}
