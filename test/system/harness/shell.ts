import { spawn } from 'node:child_process';

export interface Shell {
  /** Runs the lines. Returns their output. Rejects when one fails. */
  paste(lines: string): Promise<string>;
  close(): Promise<void>;
}

const LIMIT_MS = 60_000;

/** Opens a bash that keeps variables and functions, as a terminal does. */
export function openShell(cwd: string): Shell {
  const bash = spawn('bash', ['--norc', '--noprofile'], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 5 * LIMIT_MS,
  });
  // The shell may end before it is closed; this ignores the error of a later write.
  const ended = new Promise<void>(resolve => bash.once('close', () => resolve()));
  bash.stdin.on('error', () => {});
  let printed = '';
  let look = () => {};
  const take = (chunk: string) => {
    printed += chunk;
    look();
  };
  bash.stdout.setEncoding('utf8').on('data', take);
  bash.stderr.setEncoding('utf8').on('data', take);
  bash.stdin.write(`set -o pipefail\ntrap 'echo "@@failed: $BASH_COMMAND"' ERR\n`);
  return {
    async paste(lines) {
      printed = '';
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error(`the shell hangs:\n${lines}\n${printed}`)), LIMIT_MS);
      look = () => printed.includes('@@end\n') && resolve();
      bash.stdin.write(`${lines}\necho; echo @@end\n`);
      await promise.finally(() => clearTimeout(timer));
      if (printed.includes('@@failed')) throw new Error(`a pasted command failed:\n${lines}\n${printed}`);
      return printed.replace('\n@@end\n', '');
    },
    async close() {
      bash.stdin.end('exit\n');
      await ended;
    },
  };
}
