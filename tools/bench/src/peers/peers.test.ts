import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensurePeers } from './peers.ts';

test('a row without peers also installs the programs that the product needs', async () => {
  const place = { dir: '', env: { PATH: '' }, signal: AbortSignal.timeout(10_000) };
  await assert.rejects(
    ensurePeers(new Set(), place, () => {}),
    /apt-get install ffmpeg/,
  );
});
