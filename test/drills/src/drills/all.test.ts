import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERTS } from '@recording-request/observe/definitions/alerts';
import { stepQuery } from '../step-query.ts';
import { DRILLS } from './all.ts';
import { DELAYS } from './delays.ts';

test('each drill expects an existing alert of its severity', () => {
  for (const { name, expects } of DRILLS)
    assert.ok(
      ALERTS.some(alert => alert.name === expects.alert && alert.severity === expects.severity),
      `${name}: ${expects.severity} ${expects.alert}`,
    );
});

test('every name is unique', () => {
  const names = [...DELAYS, ...DRILLS].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test('a runbook has the query that names the slow step', async () => {
  assert.match(await stepQuery(), /^topk\(1, /);
});
