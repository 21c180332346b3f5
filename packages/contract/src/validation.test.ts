import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFaultFinders } from './validation.ts';

test('a time has a zone, a day that exists, and a year of four digits in UTC', () => {
  const faultsIn = createFaultFinders({ coerce: false })({ type: 'string', format: 'date-time' });
  const isValid = (text: string) => faultsIn(text) === undefined;
  for (const text of ['2026-03-02T10:00:00Z', '2026-03-02t10:00:00.123456+01:00', '9999-12-31T23:59:59Z'])
    assert.ok(isValid(text), text);
  for (const text of [
    '2026-03-02',
    '2026-03-02T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-03-02T24:00:00Z',
    '2026-03-02T10:00:00+99:99',
    // In UTC, these times are in the years 10000 and -1. RFC 3339 has only four-digit years.
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
  ])
    assert.ok(!isValid(text), text);
});
