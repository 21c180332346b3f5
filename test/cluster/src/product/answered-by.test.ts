import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAnsweredBy, isCutBy, prefixOf } from './answered-by.ts';

test('finds the pod that responded by its log', async () => {
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

test('attributes a broken request to a pod whose log ends seconds later', async () => {
  const logs = await mkdtemp(join(tmpdir(), 'cut-by-'));
  try {
    const folder = join(logs, 'pods', 'clips_submissions-5c9d-aaaaa_0af1/service');
    await mkdir(folder, { recursive: true });
    const lines = ['2026-11-27T00:00:00.1Z stdout F {}', '2026-11-27T00:01:00.123456789Z stdout F {}', ''];
    await writeFile(join(folder, '0.log'), lines.join('\n'));
    const isIts = (at: string, prefix = 'submissions-5c9d-') =>
      isCutBy({ logs }, 'clips', [prefix], { at: new Date(at), what: 'PATCH /uploads → 503' });
    assert.equal(await isIts('2026-11-27T00:00:55Z'), true);
    assert.equal(await isIts('2026-11-27T00:00:45Z'), false);
    assert.equal(await isIts('2026-11-27T00:01:01Z'), false);
    assert.equal(await isIts('2026-11-27T00:00:55Z', 'submissions-77fb-'), false);
  } finally {
    await rm(logs, { recursive: true });
  }
});
