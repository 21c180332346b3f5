import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createVoiceMeter, RATE_HZ, type Sound } from '../domain/voice.ts';

// The band of the voice: a hum of the mains is no speech.
const FILTER = `aresample=${RATE_HZ},highpass=f=150,lowpass=f=3400`;
const OUTPUT = ['-map', '0:a:0', '-af', FILTER, '-ac', '1', '-f', 's16le', '-'];

/**
 * Returns what a clip sounds like; nothing where the audio cannot be read. ffmpeg gets the bytes through a pipe and may open
 * nothing else; its samples are measured as they come.
 */
export async function measureSound(audio: Buffer, signal: AbortSignal): Promise<Sound> {
  signal.throwIfAborted();
  const guards = ['-protocol_whitelist', 'pipe', '-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm'];
  const input = ['-threads', '1', ...guards, '-i', 'pipe:0'];
  const child = spawn('ffmpeg', ['-hide_banner', '-v', 'quiet', ...input, ...OUTPUT], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close');
  ended.catch(() => {});
  // ffmpeg may end before it has read everything; what it decoded counts.
  child.stdin.on('error', () => {});
  child.stdin.end(audio);
  const meter = createVoiceMeter();
  let odd = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, chunk]) : (chunk as Buffer);
    const even = bytes.length - (bytes.length % 2);
    meter.push(samplesOf(bytes.subarray(0, even)));
    odd = Buffer.from(bytes.subarray(even));
  }
  await ended;
  return meter.sound();
}

function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / 2);
  for (let at = 0; at < samples.length; at += 1) samples[at] = bytes.readInt16LE(at * 2);
  return samples;
}
