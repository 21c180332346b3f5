import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAnsweredBy, prefixOf } from './answered-by.ts';

test('an incident is told by the log of the pod that answered it', async () => {
  const logs = await mkdtemp(join(tmpdir(), 'answered-by-'));
  try {
    const log = async (pod: string, requestId: string) => {
      const folder = join(logs, 'pods', `clips_${pod}_0af1/service`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, '0.log'), `2026-11-27T00:00:00Z stdout F {"requestId":"${requestId}"}\n`);
    };
    await log('gateway-5c9d-aaaaa', 'before');
    await log('gateway-77fb-bbbbb', 'now');
    await log('projects-5c9d-ccccc', 'projects');
    const prefix = prefixOf('gateway-5c9d-ddddd');
    assert.equal(prefix, 'gateway-5c9d-');
    const isIts = (requestId: string | undefined, namespace = 'clips') =>
      isAnsweredBy({ logs }, namespace, [prefix], { at: new Date(), what: 'GET / → 503', requestId });
    assert.equal(await isIts('before'), true);
    assert.equal(await isIts('now'), false);
    assert.equal(await isIts('projects'), false);
    assert.equal(await isIts('befor'), false);
    assert.equal(await isIts(undefined), false);
    assert.equal(await isIts('before', 'others'), false);
  } finally {
    await rm(logs, { recursive: true });
  }
});
