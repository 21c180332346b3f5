import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { spansDocument } from './spans-document.ts';

test('docs/spans.md matches the registry: npm run metrics writes it', async () => {
  assert.equal(await readFile(new URL('../../../docs/spans.md', import.meta.url), 'utf8'), spansDocument());
});
