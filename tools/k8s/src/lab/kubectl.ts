import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { dieWithParent } from '@recording-request/stack/child-process';
import { stringify } from 'yaml';
import type { Machine } from './machine.ts';

/** kubectl with the rights of an administrator. */
export interface Kubectl {
  /** Resolves to the standard output. Rejects with kubectl's error output. */
  run(args: string[], timeoutMs?: number, input?: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
  json(args: string[]): Promise<any>;
  /** Creates or changes objects. */
  apply(objects: object[], args?: string[]): Promise<string>;
  /** Repeats the command until it succeeds. Rejects with the last failure after `timeoutMs`. */
  until(what: string, args: string[], timeoutMs: number): Promise<string>;
}

const LIMIT_MS = 60_000;
const AGAIN_MS = 500;

/** Runs kubectl on the machine, or on this computer if there is no machine. */
export function createKubectl(program: string, kubeconfig: string, machine?: Machine): Kubectl {
  const kubectl: Kubectl = {
    run(args, timeoutMs = LIMIT_MS, input = '') {
      const own = [`--kubeconfig=${kubeconfig}`, ...args];
      return output(...(machine?.inside(program, own) ?? [program, own]), { input, timeoutMs });
    },
    json: async args => JSON.parse(await kubectl.run([...args, '--output=json'])),
    apply: (objects, args = []) =>
      kubectl.run(['apply', '--filename=-', ...args], LIMIT_MS, objects.map(each => stringify(each)).join('---\n')),
    async until(what, args, timeoutMs) {
      const end = Date.now() + timeoutMs;
      for (;;)
        try {
          return await kubectl.run(args);
        } catch (error) {
          if (Date.now() > end)
            throw new Error(`${what} did not become ready: ${(error as Error).message}`, { cause: error });
          await delay(AGAIN_MS);
        }
    },
  };
  return kubectl;
}

async function output(
  command: string,
  args: string[],
  { input, timeoutMs }: { input: string; timeoutMs: number },
): Promise<string> {
  const [file, argv] = dieWithParent(command, args);
  const child = spawn(file, argv, { stdio: ['pipe', 'pipe', 'pipe'], signal: AbortSignal.timeout(timeoutMs) });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4_096);
  });
  child.stdin.on('error', () => {}).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', error => reject(new Error(`kubectl took longer than ${timeoutMs / 1000} s`, { cause: error })));
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(stderr.trim() || `kubectl exited with status ${code}`);
  return stdout;
}
