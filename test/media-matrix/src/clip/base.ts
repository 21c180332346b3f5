/** Computes the picture and the sound of every clip, so that the clips are the same on every machine. */
import { access, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FRAME_RATE } from './spec.ts';

export const BASE_WIDTH = 320;
export const BASE_HEIGHT = 180;
export const BASE_FRAMES = 225;
export const RATE_HZ = 48_000;
/**
 * The times at which a flash and a word begin, in seconds. The distances between them all differ and exceed the
 * shortest cue.
 */
export const BEATS_SEC = [0.4, 1.7, 3.12, 4.6, 6.6, 7.8];
export const WORD_SEC = 0.36;
const FLASH_FRAMES = 8;

export type Colour3 = readonly [number, number, number];
/** A part of the picture; its edges are shares of the width and the height. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export interface Patch extends Area {
  name: string;
  colour: Colour3;
}

const patch = (name: string, [left, top, right, bottom]: number[], colour: Colour3): Patch => ({
  ...{ name, left: left!, top: top!, right: right!, bottom: bottom! },
  colour,
});
/** Four different corners, which show any turn or mirroring, and two greys. */
export const PATCHES: Patch[] = [
  patch('red', [0, 0, 0.25, 0.3], [200, 40, 40]),
  patch('green', [0.75, 0, 1, 0.3], [30, 190, 60]),
  patch('blue', [0, 0.7, 0.25, 1], [50, 60, 200]),
  patch('yellow', [0.75, 0.7, 1, 1], [210, 190, 40]),
  patch('grey', [0.3, 0.7, 0.5, 1], [128, 128, 128]),
  patch('light', [0.5, 0.7, 0.7, 1], [238, 238, 238]),
];
export const FLASH: Area = { left: 0.3, top: 0, right: 0.7, bottom: 0.3 };
export const BITS = 8;
/** Returns the block that shows one bit of a frame's number, the lowest bit first. */
export const bitArea = (bit: number): Area => ({ left: bit / BITS, top: 0.35, right: (bit + 1) / BITS, bottom: 0.65 });

const [ON, OFF, GROUND] = [
  [235, 235, 235],
  [24, 24, 24],
  [90, 90, 90],
] as const;

const isFlash = (frame: number) =>
  BEATS_SEC.some(sec => frame >= Math.round(sec * FRAME_RATE) && frame < Math.round(sec * FRAME_RATE) + FLASH_FRAMES);

function picture(frame: number): Buffer {
  const rgb = Buffer.alloc(BASE_WIDTH * BASE_HEIGHT * 3);
  const fill = ({ left, top, right, bottom }: Area, colour: Colour3) => {
    const [from, to] = [Math.round(left * BASE_WIDTH), Math.round(right * BASE_WIDTH)];
    const row = Buffer.alloc((to - from) * 3, Buffer.from(colour));
    for (let y = Math.round(top * BASE_HEIGHT); y < Math.round(bottom * BASE_HEIGHT); y += 1)
      row.copy(rgb, (y * BASE_WIDTH + from) * 3);
  };
  fill({ left: 0, top: 0, right: 1, bottom: 1 }, GROUND);
  for (const { colour, ...area } of PATCHES) fill(area, colour);
  fill(FLASH, isFlash(frame) ? ON : OFF);
  for (let bit = 0; bit < BITS; bit += 1) fill(bitArea(bit), (frame >> bit) & 1 ? ON : OFF);
  return rgb;
}

/** Returns a sample of a gliding pitch with overtones. The transcription service accepts this sound as a voice. */
function word(sec: number): number {
  const fade = Math.min(1, (WORD_SEC - sec) / 0.04);
  const turns = 130 * sec + 120 * sec * sec;
  let value = 0;
  for (let overtone = 1; overtone <= 12; overtone += 1) value += Math.sin(2 * Math.PI * overtone * turns) / overtone;
  return value * 0.35 * fade;
}

function sound(): Buffer {
  const samples = new Int16Array((BASE_FRAMES / FRAME_RATE) * RATE_HZ);
  for (const beat of BEATS_SEC)
    for (let at = 0; at < WORD_SEC * RATE_HZ; at += 1)
      samples[Math.round(beat * RATE_HZ) + at] = Math.round(32_000 * Math.max(-1, Math.min(1, word(at / RATE_HZ))));
  return Buffer.from(samples.buffer);
}

/** The source files of clips: raw RGB pictures and raw 16-bit sound. */
export interface Base {
  pictures: string;
  sound: string;
}

/** Returns the base in `dir`. Makes it if it is missing. */
export async function makeBase(dir: string): Promise<Base> {
  const base = { pictures: join(dir, 'pictures.rgb'), sound: join(dir, 'sound.s16') };
  if (!(await exists(base.pictures)))
    await writeWhole(base.pictures, Buffer.concat(Array.from({ length: BASE_FRAMES }, (_, at) => picture(at))));
  if (!(await exists(base.sound))) await writeWhole(base.sound, sound());
  return base;
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Writes a file atomically, because two processes may write the same file at once. */
export async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const begun = `${path}.${process.pid}`;
  await writeFile(begun, bytes);
  await rename(begun, path);
}
