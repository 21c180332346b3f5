import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { dieWithParent } from '@recording-request/stack/child-process';

/** Resolves to a command's output. Rejects with the end of its messages unless its exit code is 0. */
export async function runCommand(command: string, args: string[], signal: AbortSignal, cwd?: string): Promise<string> {
  const [file, argv] = dieWithParent(command, args);
  const child = spawn(file, argv, { cwd, signal, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, messages, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${messages.slice(-500)}`);
  return out;
}
