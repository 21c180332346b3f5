import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { print as log } from '@recording-request/harness/command';
import { ROOT } from './repository.ts';

const LIMIT_MS = 5 * 60_000;
const CHECKS = [
  { name: 'protocol', command: 'buf', args: ['lint', 'proto'] },
  { name: 'wire', command: 'buf', args: ['breaking', 'proto', '--against', 'proto/baseline.binpb'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', 'tsconfig.json'] },
  { name: 'style', command: 'biome', args: ['check', '--error-on-warnings', '--max-diagnostics=5', '.'] },
];

/** Checks the protocol, its compatibility, types and style one after the other. Returns the numbers of passed and failed checks. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const tally = { passed: 0, failed: 0 };
  for (const step of CHECKS) tally[(await passes(step)) ? 'passed' : 'failed'] += 1;
  return tally;
}

async function passes({ name, command, args }: (typeof CHECKS)[number]): Promise<boolean> {
  const startedAt = Date.now();
  const child = spawn(join(ROOT, 'node_modules/.bin', command), args, {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: LIMIT_MS,
  });
  const code = await new Promise<number | null>(resolve => child.once('exit', resolve));
  log(`${code === 0 ? '✔' : '✖'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return code === 0;
}
