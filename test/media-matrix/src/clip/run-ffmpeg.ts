import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';

const LIMIT_MS = 120_000;

/** The output of a program. */
export interface Printed {
  stdout: Buffer;
  stderr: string;
}

/** Runs ffmpeg or ffprobe. Rejects with its messages when it fails; kills it after two minutes or when the signal fires. */
export async function runTool(program: 'ffmpeg' | 'ffprobe', args: string[], signal: AbortSignal): Promise<Printed> {
  const quiet = program === 'ffmpeg' ? ['-nostdin', '-hide_banner', '-y'] : ['-hide_banner'];
  const child = spawn(program, [...quiet, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [code, by]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${by ?? code}: ${stderr.slice(-1_000)}`);
  return { stdout, stderr };
}
