import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const DRAWS = 40;

/** Draws ports, and keeps them reserved without listening until its input ends. */
const SCRIPT = `
  import { freePort } from '${new URL('./ports.ts', import.meta.url)}';
  const ports = [];
  for (let draws = 0; draws < ${DRAWS}; draws++) ports.push(await freePort(20_000, 20_200));
  console.log(ports.join());
  process.stdin.resume();
`;

test('two processes that request a port at once never get the same one, even before they listen', async () => {
  const one = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', SCRIPT], { timeout: 30_000 });
  const running = [one(), one(), one()];
  const printed = running.map(({ child }) => new Promise<string>(resolve => child.stdout!.once('data', resolve)));
  const ports = (await Promise.all(printed)).flatMap(line => String(line).trim().split(','));
  for (const { child } of running) child.stdin!.end();
  await Promise.all(running);
  assert.equal(new Set(ports).size, 3 * DRAWS);
});
