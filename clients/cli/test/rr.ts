import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts the command `rr` with a token for this address. */
export function startRr(url: string, args: readonly string[], scratch: string) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: scratch,
    env: { ...process.env, RR_BASE_URL: url, RR_TOKEN: 'api_x', XDG_CONFIG_HOME: scratch, XDG_STATE_HOME: scratch },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', part => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', part => {
    stderr += part;
  });
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, done };
}

/** Runs the command `rr` to its end. */
export const rr = (url: string, args: readonly string[], scratch: string) => startRr(url, args, scratch).done;
