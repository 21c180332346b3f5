import { CpuTimeError, runProgram } from '@recording-request/kit-ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit-ffmpeg/safe-input';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { createVoiceMeter, RATE_HZ, type Sound } from '../domain/voice.ts';

// Replaces gaps by silence, so that times match the clip. Then keeps only the frequencies of a voice, because mains hum
// must not count as speech.
const FILTER = `aresample=${RATE_HZ}:async=1:first_pts=0,highpass=f=150,lowpass=f=3400`;
const OUTPUT = ['-map', '0:a:0', '-af', FILTER, '-ac', '1', '-f', 's16le', '-'];
// Longer than the largest accepted file at any bitrate of speech. The limit is necessary, because a few bytes may
// declare years of sound.
const SOUND_MAX_SEC = 4 * 3_600;
const UNKNOWN: Sound = { levelsDb: [], voiceSec: [] };

/** The audio has too much sound, or decoding it takes too much CPU time. */
export class TooMuchSoundError extends Error {}

/**
 * Returns the measured sound of a clip; an empty result when the audio cannot be read. ffmpeg reads the bytes from a
 * pipe and cannot open a file. Rejects with a TooMuchSoundError, with the signal's reason, or with another error when
 * another process killed ffmpeg.
 */
export async function measureSound(audio: Buffer, options: RunOptions<'ffmpeg'>): Promise<Sound> {
  const quiet = ['-hide_banner', '-v', 'quiet', '-filter_threads', '1'];
  const input = ['-threads', '1', ...safeInputOptions('pipe'), '-i', 'pipe:0'];
  const about = { span: 'sound levels', purpose: 'sound', bytesIn: audio.length } as const;
  using running = runProgram('ffmpeg', [...quiet, ...input, ...OUTPUT], options, { ...about, stdin: 'pipe' });
  // Ignores write errors: ffmpeg may end before it has read all bytes, and the decoded part counts.
  running.stdin?.on('error', () => {});
  running.stdin?.end(audio);
  const meter = createVoiceMeter();
  let seconds = 0;
  for await (const samples of samplesOf(running.stdout)) {
    seconds += samples.length / RATE_HZ;
    if (seconds > SOUND_MAX_SEC) throw new TooMuchSoundError(`more than ${SOUND_MAX_SEC} s of sound`);
    meter.push(samples);
  }
  const code = await running.end().catch(error => {
    throw error instanceof CpuTimeError ? new TooMuchSoundError(error.message, { cause: error }) : error;
  });
  return code === 0 ? meter.sound() : UNKNOWN;
}

async function* samplesOf(stdout: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
  let odd = Buffer.alloc(0);
  for await (const chunk of stdout) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, chunk]) : chunk;
    const samples = new Int16Array(Math.floor(bytes.length / 2));
    for (let at = 0; at < samples.length; at += 1) samples[at] = bytes.readInt16LE(at * 2);
    odd = Buffer.from(bytes.subarray(samples.length * 2));
    yield samples;
  }
}
