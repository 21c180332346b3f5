import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERTS } from '@recording-request/observe/definitions/alerts';
import { timeOf } from '@recording-request/observe/definitions/time';
import { runbookQuery } from '../runbook-query.ts';
import { STEP_QUERY } from '../step-query.ts';
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
  assert.match(await runbookQuery(STEP_QUERY, timeOf(60)), /^topk\(1, /);
});

test('a runbook has the query of each drill that names the broken part', async () => {
  for (const { names } of DRILLS) if (names) await runbookQuery(names, timeOf(60));
});
