import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { WINDOW_SEC } from '../domain/speech-levels.ts';

const RATE_HZ = 8_000;
const FILTER = [
  `aresample=${RATE_HZ}`,
  // The band of the voice: a hum of the mains is no speech.
  'highpass=f=150',
  'lowpass=f=3400',
  `asetnsamples=n=${RATE_HZ * WINDOW_SEC}:p=0`,
  'astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=RMS_level',
  'ametadata=mode=print:key=lavfi.astats.Overall.RMS_level:file=-',
].join(',');
const LEVEL = 'lavfi.astats.Overall.RMS_level=';

/**
 * Returns the level of each tenth of a second in dB of full scale, `-Infinity` for digital silence; empty when the audio
 * cannot be read. ffmpeg gets the bytes through a pipe and may open nothing else.
 */
export async function soundLevels(audio: Buffer, signal: AbortSignal): Promise<number[]> {
  signal.throwIfAborted();
  const guards = ['-protocol_whitelist', 'pipe', '-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm'];
  const input = ['-threads', '1', ...guards, '-i', 'pipe:0'];
  const child = spawn(
    'ffmpeg',
    ['-hide_banner', '-v', 'quiet', ...input, '-map', '0:a:0', '-af', FILTER, '-f', 'null', '-'],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      signal,
      killSignal: 'SIGKILL',
    },
  );
  const ended = once(child, 'close');
  ended.catch(() => {});
  // ffmpeg may end before it has read everything; what it printed counts.
  child.stdin.on('error', () => {});
  child.stdin.end(audio);
  const levels: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(LEVEL)) levels.push(levelOf(line.slice(LEVEL.length)));
  }
  await ended;
  return levels;
}

function levelOf(text: string): number {
  const level = Number(text);
  return Number.isFinite(level) ? level : Number.NEGATIVE_INFINITY;
}
