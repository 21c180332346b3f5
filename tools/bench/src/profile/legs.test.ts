import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPAN_KIND, type Span } from '@recording-request/demo/otlp-json';
import { legsReport } from './legs.ts';

const span = (spanId: string, name: string, [startMs, endMs]: [number, number], parentSpanId?: string): Span => ({
  ...{ traceId: 'a', spanId, name, startMs, endMs, service: 'media', scope: '', links: [], isError: false },
  ...{ kind: SPAN_KIND.internal, attributes: {} },
  ...(parentSpanId && { parentSpanId }),
});

test('each step of the clips has a line with its median start and duration, below its parent step', () => {
  const clip = (from: number, ms: number) => ({
    from,
    spans: [
      span('3', 'read', [from + 5, from + 6], '1'),
      span('1', 'job', [from - 1, from + ms]),
      span('2', 'read', [from, from + 1], '1'),
    ],
  });
  const lines = legsReport([clip(100, 10), clip(300, 12), clip(500, 30)]).split('\n');
  assert.deepEqual(
    lines.map(line => line.trim().split(/\s+/).join(' ')),
    [
      ...['begins ms clips step', '-1.0 13.0 3 media internal job', '0.0 1.0 3 media internal read'],
      ...['5.0 1.0 3 media internal read', ''],
    ],
  );
  assert.equal(lines[2]!.indexOf('media') - lines[1]!.indexOf('media'), 2);
});
