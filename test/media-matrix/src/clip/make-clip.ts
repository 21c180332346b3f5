import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from './base.ts';
import { withTwoEdits } from './edits.ts';
import { runTool } from './run-ffmpeg.ts';
import { type ClipSpec, type Container, FRAME_RATE, HIDDEN_SEC, isMatroska, isMp4 } from './spec.ts';
import { cutTo, joinDescriptions, replaceFourBytes, turnMatroska, turnMp4 } from './surgery.ts';
import { inputsOf, mapsOf, soundOptions, videoOptions } from './tracks.ts';

/** The folder for clips: each is made once per machine. */
export const CACHE = join(tmpdir(), 'recording-request-media-matrix');
/** Increase this number after a change to the clips. Then the clips in the cache are not used any more. */
const VERSION = 4;

const MUXER: Record<Container, string[]> = {
  webm: ['-f', 'webm', '-live', '1'],
  'webm file': ['-f', 'webm'],
  mkv: ['-f', 'matroska'],
  mp4: ['-f', 'mp4'],
  mov: ['-f', 'mov'],
  fmp4: ['-f', 'mp4', '-movflags', 'frag_keyframe+delay_moov+default_base_moof'],
  '3gp': ['-f', '3gp'],
  avi: ['-f', 'avi'],
  ts: ['-f', 'mpegts'],
};

/** Returns the path of a clip in `dir`. Makes the clip if it is missing. */
export async function makeClip(dir: string, spec: ClipSpec, signal: AbortSignal): Promise<string> {
  await mkdir(dir, { recursive: true });
  const key = createHash('sha256')
    .update(JSON.stringify([VERSION, spec]))
    .digest('hex')
    .slice(0, 16);
  const path = join(dir, `${key}.clip`);
  if (await exists(path)) return path;
  const begun = join(dir, `${key}.${process.pid}`);
  try {
    await encode(dir, begun, spec, signal);
    await operate(dir, begun, spec, signal);
    await rename(begun, path);
  } finally {
    await rm(begun, { force: true });
  }
  return path;
}

async function encode(dir: string, path: string, spec: ClipSpec, signal: AbortSignal): Promise<void> {
  const isHidden = spec.edit === 'hidden start';
  // The hidden part has only one key frame, so that players must decode pictures that they do not show.
  const whole: ClipSpec = isHidden ? { ...spec, keyEvery: 250, frames: spec.frames + HIDDEN_SEC * FRAME_RATE } : spec;
  const to = isHidden ? `${path}.whole` : path;
  const inputs = await inputsOf(dir, whole);
  const index = isMp4(spec) && spec.container !== 'fmp4' && spec.index === 'front' ? ['-movflags', '+faststart'] : [];
  const muxer = [...MUXER[spec.container], ...index, '-fflags', '+bitexact', '-strict', '-2'];
  try {
    const maps = mapsOf(whole);
    const args = [...inputs, ...maps, ...videoOptions(whole), ...soundOptions(whole), ...muxer, to];
    await runTool('ffmpeg', ['-v', 'error', ...args], signal);
    if (!isHidden) return;
    const trim = ['-ss', String(HIDDEN_SEC), '-i', to, '-map', '0', '-c', 'copy', ...muxer, path];
    await runTool('ffmpeg', ['-v', 'error', ...trim], signal);
  } finally {
    if (isHidden) await rm(to, { force: true });
  }
}

async function operate(dir: string, path: string, spec: ClipSpec, signal: AbortSignal): Promise<void> {
  if (spec.surgery === 'two descriptions') {
    const half = { ...spec, surgery: 'none', audio: 'none', frames: spec.frames / 2 } as const;
    const other = await makeClip(dir, { ...half, size: '640x360' }, signal);
    await writeFile(path, joinDescriptions(await readFile(await makeClip(dir, half, signal)), await readFile(other)));
  }
  if (spec.surgery === 'two edits') await writeFile(path, withTwoEdits(await readFile(path)));
  // Turns ffmpeg's subtitles into a phone's timed metadata.
  if (spec.tracks === 'data') await replaceFourBytes(path, spec.container === 'mov' ? 'text' : 'tx3g', 'mebx');
  if (spec.tracks === 'unknown first') await replaceFourBytes(path, 'ima4', 'apac');
  if (spec.turn !== 0 && isMp4(spec)) await turnMp4(path, spec);
  if (spec.turn !== 0 && isMatroska(spec)) await turnMatroska(path, spec);
  if (spec.cut < 100) await cutTo(path, spec.cut);
  if ((await stat(path)).size === 0) throw new Error('the clip is empty');
}
