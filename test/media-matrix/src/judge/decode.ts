/** Decodes pictures and sound with ffmpeg, independent of the product. */
import { type Area, BITS, bitArea, type Colour3, FLASH, PATCHES } from '../clip/base.ts';
import { runTool } from '../clip/run-ffmpeg.ts';

/** The width at which every picture is judged. The positions of the marks are shares of the picture. */
const WIDTH = 160;
const HEIGHT = 90;
const BYTES = WIDTH * HEIGHT * 3;
const SOUND_HZ = 16_000;
const WINDOW_SEC = 0.005;
/** The silence before a word. */
const QUIET_SEC = 0.2;
const LEAST_PEAK = 600;
const WORD_SHARE = 0.2;

/** A picture as a player shows it, turned as the file states. */
export interface Picture {
  sec: number;
  /** The shown size in pixels, before the pixel aspect ratio is applied. */
  size: string;
  rgb: Buffer;
}

/** Decodes every picture of the first video that is not a cover. */
export async function picturesOf(path: string, signal: AbortSignal): Promise<Picture[]> {
  const filter = `showinfo,scale=${WIDTH}:${HEIGHT}:flags=area,format=rgb24`;
  const output = ['-map', '0:V:0', '-vf', filter, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout, stderr } = await runTool('ffmpeg', ['-v', 'info', '-i', path, ...output], signal);
  const lines = stderr.matchAll(/ n: *\d+ pts: *\S+ pts_time:(\S+) .*? s:(\d+x\d+) /g);
  const pictures = Array.from(lines, ([, sec, size], at) => ({
    ...{ sec: Number(sec), size: size! },
    rgb: stdout.subarray(at * BYTES, (at + 1) * BYTES),
  }));
  if (stdout.length !== pictures.length * BYTES) throw new Error(`${path}: ${pictures.length} pictures are listed`);
  return pictures;
}

/** A sound with one 16-bit channel. */
export interface DecodedSound {
  samples: Int16Array;
  seconds: number;
}

/**
 * Decodes a sound; gaps become silence. `channel` picks one channel, for a sound whose channels are inverse to each other.
 */
export async function soundOf(
  path: string,
  { nth = 0, channel, signal }: { nth?: number | undefined; channel?: number | undefined; signal: AbortSignal },
): Promise<DecodedSound> {
  const alone = channel === undefined ? '' : `pan=mono|c0=c${channel},`;
  const filter = `${alone}aresample=${SOUND_HZ}:async=1:min_hard_comp=0.01:first_pts=0`;
  const output = ['-map', `0:a:${nth}`, '-af', filter, '-ac', '1', '-f', 's16le', '-'];
  const { stdout } = await runTool('ffmpeg', ['-v', 'error', '-i', path, ...output], signal);
  const samples = new Int16Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~1)));
  return { samples, seconds: samples.length / SOUND_HZ };
}

/** Returns the start times of the words, in seconds. */
export function wordsIn({ samples }: DecodedSound): number[] {
  const window = SOUND_HZ * WINDOW_SEC;
  const peaks = Array.from({ length: Math.ceil(samples.length / window) }, (_, at) =>
    samples.subarray(at * window, (at + 1) * window).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  );
  const least = Math.max(LEAST_PEAK, WORD_SHARE * peaks.reduce((most, value) => Math.max(most, value), 0));
  const words: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [at, peak] of peaks.entries()) {
    if (peak < least) continue;
    if ((at - last) * WINDOW_SEC > QUIET_SEC) words.push(at * WINDOW_SEC);
    last = at;
  }
  return words;
}

/** Returns the mean colour of the middle of an area. */
export function colourOf({ rgb }: Pick<Picture, 'rgb'>, { left, top, right, bottom }: Area): Colour3 {
  const inset = (from: number, to: number, side: number) => {
    const [low, high] = [from + (to - from) * 0.3, from + (to - from) * 0.7];
    return [Math.round(low * side), Math.max(Math.round(low * side) + 1, Math.round(high * side))] as const;
  };
  const [[fromX, toX], [fromY, toY]] = [inset(left, right, WIDTH), inset(top, bottom, HEIGHT)];
  const sum = [0, 0, 0];
  for (let y = fromY; y < toY; y += 1)
    for (let x = fromX; x < toX; x += 1)
      for (let part = 0; part < 3; part += 1) sum[part]! += rgb[(y * WIDTH + x) * 3 + part]!;
  const count = (toX - fromX) * (toY - fromY);
  return sum.map(value => Math.round(value / count)) as unknown as Colour3;
}

const brightness = (picture: Pick<Picture, 'rgb'>, area: Area) =>
  colourOf(picture, area).reduce((sum, value) => sum + value, 0) / 3;
const GREY = PATCHES.find(({ name }) => name === 'grey')!;

/** Returns the number in a picture. */
export function numberIn(picture: Pick<Picture, 'rgb'>): number {
  const between = brightness(picture, GREY);
  let number = 0;
  for (let bit = 0; bit < BITS; bit += 1) if (brightness(picture, bitArea(bit)) > between) number |= 1 << bit;
  return number;
}

export const isFlashing = (picture: Pick<Picture, 'rgb'>): boolean =>
  brightness(picture, FLASH) > brightness(picture, GREY);

/** The colours of the corners in HDR that was not converted. They are paler. */
const IN_HDR: Record<string, Colour3> = {
  red: [119, 75, 58],
  green: [102, 125, 83],
  blue: [74, 69, 130],
  yellow: [131, 127, 81],
};

/** Returns true if each corner has its own colour. Compares hues, because HDR is darker. */
export function isUpright(picture: Pick<Picture, 'rgb'>): boolean {
  const hue = (colour: Colour3) => {
    const [least, most] = [Math.min(...colour), Math.max(...colour)];
    return colour.map(value => (value - least) / Math.max(1, most - least));
  };
  const distance = (one: number[], other: Colour3) =>
    hue(other).reduce((sum, value, at) => sum + Math.abs(value - one[at]!), 0);
  const corners = PATCHES.slice(0, 4);
  return corners.every(corner => {
    const found = hue(colourOf(picture, corner));
    const far = ({ name, colour }: { name: string; colour: Colour3 }) =>
      Math.min(distance(found, colour), distance(found, IN_HDR[name]!));
    const [nearest] = corners.toSorted((a, b) => far(a) - far(b));
    return nearest === corner;
  });
}

/** Returns the mean difference between the pixels of two pictures, 0 to 255. */
export function differenceOf(one: Pick<Picture, 'rgb'>, other: Pick<Picture, 'rgb'>): number {
  let sum = 0;
  for (const [at, value] of one.rgb.entries()) sum += Math.abs(value - other.rgb[at]!);
  return sum / BYTES;
}
