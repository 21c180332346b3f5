import { stat } from 'node:fs/promises';
import { CpuTimeError, runProgram } from '@recording-request/kit-ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit-ffmpeg/safe-input';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import type { Inspection, Track } from '../domain/inspection.ts';
import { type ChosenSound, type Listened, StereoMeter, soundsOf } from '../domain/sound.ts';

const RATE_HZ = 8_000;
const WINDOW = RATE_HZ / 10;
const LISTENED_SEC = 1_800;

/**
 * Returns the sound of an upload: the first decodable sound that is not silent, or else the first decodable sound;
 * undefined when there is none. Does not measure a clip whose only sound is mono.
 */
export async function chooseSound(
  path: string,
  { tracks }: Pick<Inspection, 'tracks'>,
  options: RunOptions,
): Promise<ChosenSound | undefined> {
  const sounds = soundsOf(tracks);
  const [only] = sounds;
  if (only && sounds.length === 1 && only.channels === 1) return { stream: only.stream };
  let silent: ChosenSound | undefined;
  for (const sound of sounds) {
    const heard = await listen(path, sound, options);
    if (!heard) continue;
    const chosen = { stream: sound.stream, ...(heard.channel === undefined ? {} : { channel: heard.channel }) };
    if (!heard.isSilent) return chosen;
    silent ??= chosen;
  }
  return silent;
}

/** Returns undefined when no sound can be decoded. Stops ffmpeg as soon as the measurement is sufficient. */
async function listen(path: string, { stream }: Track, options: RunOptions): Promise<Listened | undefined> {
  const quiet = ['-nostdin', '-hide_banner', '-v', 'quiet', '-filter_threads', '1', '-threads', '1'];
  const output = ['-map', `0:${stream}`, '-t', String(LISTENED_SEC), '-ac', '2', '-ar', String(RATE_HZ)];
  const args = [...quiet, ...safeInputOptions('file'), '-i', path, ...output, '-f', 's16le', '-'];
  const { size: bytesIn } = await stat(path);
  using running = runProgram('ffmpeg', args, options, { span: 'sound levels', purpose: 'sound', bytesIn });
  const meter = new StereoMeter(WINDOW);
  let samples = 0;
  for await (const chunk of wholeWindows(running.stdout)) {
    samples += chunk.length;
    if (meter.push(chunk)) return meter.result;
  }
  await running.end().catch(error => {
    if (!(error instanceof CpuTimeError)) throw error;
  });
  return samples > 0 ? meter.result : undefined;
}

async function* wholeWindows(stdout: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stdout) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = bytes.length - (bytes.length % (WINDOW * 4));
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield bytes.subarray(0, whole);
  }
  if (rest.length > 0) yield rest;
}
