import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorsIn, errorsOfPods } from './pod-logs.ts';

const SINCE = new Date('2026-11-27T01:00:00Z');
const WHAT = /rebalanc/i;
const line = (time: string, level: unknown, msg: string) =>
  `${time} stdout F ${JSON.stringify({ level, msg, requestId: 'one' })}`;
const AFTER = line('2026-11-27T01:00:01.123456789Z', 50, 'The group is rebalancing');

test('returns the errors about the subject since the given time', () => {
  const others = [
    line('2026-11-27T00:59:59.9Z', 50, 'The group is rebalancing'),
    line('2026-11-27T01:00:01Z', 40, 'The group is rebalancing'),
    line('2026-11-27T01:00:01Z', 50, 'Kafka is down'),
    '',
  ];
  assert.deepEqual(errorsIn([...others, AFTER].join('\n'), WHAT, SINCE), [AFTER]);
  const named = line('2026-11-27T01:00:02Z', 'error', 'Rebalancing');
  assert.deepEqual(errorsIn(named, WHAT, SINCE), [named]);
});

test('reads the logs of deleted pods too, in one namespace', async () => {
  const logs = await mkdtemp(join(tmpdir(), 'pod-logs-'));
  try {
    await assert.rejects(errorsOfPods({ logs }, 'clips', WHAT, SINCE));
    for (const [pod, text] of [
      ['clips_webhooks-1_0af1', AFTER],
      ['clips_media-1_0af2', ''],
      ['others_webhooks-2_0af3', AFTER],
    ] as const) {
      const folder = join(logs, 'pods', pod, 'service');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, '0.log'), text);
    }
    assert.deepEqual(await errorsOfPods({ logs }, 'clips', WHAT, SINCE), new Map([['webhooks-1', [AFTER]]]));
    await assert.rejects(errorsOfPods({ logs }, 'nobody', WHAT, SINCE), /nobody/);
  } finally {
    await rm(logs, { recursive: true });
  }
});
