import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { labSettings } from './overlay.ts';

test('README.md names every setting that differs from the shipped base', async () => {
  const text = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const unnamed = Object.keys(labSettings({}, {})).filter(name => !text.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
});
