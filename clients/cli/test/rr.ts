import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The source of the command `rr`. */
export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts the command `rr` with a token for this address. Its stdin gets `input`; `null` leaves stdin open. */
export function startRr(url: string, args: readonly string[], scratch: string, input: string | null = '') {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: scratch,
    env: { ...process.env, RR_BASE_URL: url, RR_TOKEN: 'api_x', XDG_CONFIG_HOME: scratch, XDG_STATE_HOME: scratch },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  // A command that has ended reads no more.
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', part => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', part => {
    stderr += part;
  });
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  /** Waits until stderr has the text. Fails if the command ends without it. */
  const says = async (text: RegExp): Promise<void> => {
    while (!text.test(stderr)) {
      const ended = await Promise.race([once(child.stderr, 'data').then(() => false), done.then(() => true)]);
      if (ended && !text.test(stderr)) throw new Error(`rr ${args.join(' ')} ended: ${stderr}`);
    }
  };
  return { child, done, says };
}

/** Runs the command `rr` to its end. */
export const rr = (url: string, args: readonly string[], scratch: string, input = '') =>
  startRr(url, args, scratch, input).done;
