import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { metricsDocument } from './document.ts';

test('docs/metrics.md matches the registry: npm run metrics writes it', async () => {
  assert.equal(await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8'), metricsDocument());
});
