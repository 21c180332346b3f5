import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { operatorEnv } from '@recording-request/stack/service-plan';
import type { TestSystem } from '@recording-request/testing/test-system';

const MAIN = new URL('../../../tools/admin/src/main.ts', import.meta.url).pathname;
const LIMIT_MS = 60_000;

export interface AdminRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningAdmin {
  kill(): void;
  ended: Promise<AdminRun>;
}

/** Starts the operator's command line as a separate process without a terminal. */
export function startAdmin(system: TestSystem, ...words: string[]): RunningAdmin {
  const operator = { ...operatorEnv(system.services), ...system.certificates.env('operator') };
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { ...process.env, ...operator },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  const end = new Promise<number | null>(resolve => child.once('close', resolve));
  const ended = Promise.all([end, text(child.stdout), text(child.stderr)]);
  return {
    kill: () => void child.kill('SIGKILL'),
    ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })),
  };
}

export const admin = (system: TestSystem, ...words: string[]): Promise<AdminRun> => startAdmin(system, ...words).ended;
