import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as stable from '@opentelemetry/semantic-conventions';
import * as all from '@opentelemetry/semantic-conventions/incubating';
import { METRICS } from './metrics.ts';
import { SPANS } from './spans.ts';

const valuesOf = (module: object) => new Set(Object.values<unknown>(module as Record<string, unknown>));
const names = new Set(
  [...Object.values(SPANS), ...Object.values(METRICS)].flatMap(({ attributes }) => Object.keys(attributes)),
);
const theirs = [...names].filter(name => !name.startsWith('recording.'));

test('each attribute is ours or in OpenTelemetry’s conventions', () => {
  const known = valuesOf({ ...stable, ...all });
  assert.deepEqual(
    theirs.filter(name => !known.has(name)),
    [],
  );
});

test('attributes of RPCs, the database and addresses come from the stable conventions', () => {
  const known = valuesOf(stable);
  const settled = theirs.filter(name => /^(rpc|db|url)\./.test(name));
  assert(settled.includes('rpc.status_code'));
  assert.deepEqual(
    settled.filter(name => !known.has(name)),
    [],
  );
});
