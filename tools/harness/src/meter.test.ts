import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startMeter, TICK_MS } from './meter.ts';

const BURN = 'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);';

test('counts running and ended children', { timeout: 120_000 }, async () => {
  const script = `const { spawnSync } = require('node:child_process');
    spawnSync(process.execPath, ['-e', ${JSON.stringify(BURN)}]);
    console.log('done'); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const meter = startMeter({ parent: [child.pid!], other: [] });
  await once(child.stdout, 'data');
  const { ticks, machine, seconds } = meter.read();
  assert.ok(ticks.parent! * TICK_MS >= 280, `its child's child used 300 ms, not ${ticks.parent! * TICK_MS}`);
  assert.equal(ticks.other, 0);
  assert.ok(machine.all * TICK_MS >= seconds * 900, 'the machine has a core or more');
  child.stdin.end();
  await once(child, 'exit');
});

test('does not count descendants of this process as foreign', { timeout: 120_000 }, () => {
  const meter = startMeter({});
  const before = meter.read().machine;
  spawnSync(process.execPath, ['-e', BURN]);
  const { machine } = meter.read();
  const own = (machine.all - before.all) * TICK_MS;
  assert.ok(own > 0);
  assert.ok(machine.foreign <= machine.all);
});
