import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLevel } from 'kafkajs';
import { pino } from 'pino';
import { kafkaLog } from './log.ts';

function levelOf(level: logLevel, message: string, error?: string): string {
  const lines: { level: number }[] = [];
  const log = pino({ level: 'trace' }, { write: line => void lines.push(JSON.parse(line)) });
  const entry = { timestamp: '', message, ...(error && { error }) } as never;
  kafkaLog(log)()({ namespace: '', level, label: '', log: entry });
  return pino.levels.labels[lines[0]!.level]!;
}

test('a rebalance is logged at debug, and an error that kafkajs retries is a warning', () => {
  const rejoin = 'The group is rebalancing, so a rejoin is needed';
  assert.equal(levelOf(logLevel.ERROR, 'Response Heartbeat(key: 12, version: 3)', rejoin), 'debug');
  assert.equal(levelOf(logLevel.WARN, 'The group is rebalancing, re-joining'), 'debug');
  assert.equal(levelOf(logLevel.ERROR, 'The coordinator is not aware of this member, re-joining the group'), 'debug');
  assert.equal(levelOf(logLevel.ERROR, 'Connection error', 'ECONNREFUSED'), 'warn');
  assert.equal(levelOf(logLevel.WARN, 'Offset out of range'), 'warn');
});
