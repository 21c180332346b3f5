import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClipOptions, makeClip } from '@recording-request/fixtures/clip';
import { run } from '@recording-request/fixtures/run';
import type { Random } from '@recording-request/stack/random';

/** A clip as a recorder produces it. Each take has different bytes, and so a different hash. */
export interface Take {
  bytes: Buffer;
  /** The hash in hex. */
  sha256: string;
  mimeType: string;
  /** True if the take has speech. */
  speaks: boolean;
  /** FFmpeg's hash of the video packets, which remuxing does not change. */
  pictures: string;
}

interface Film {
  path: string;
  bytes: Buffer;
  mimeType: string;
  speaks: boolean;
  /** The length; if undefined, the film is as long as the words. */
  seconds: number | undefined;
  pictures: string;
}

export interface TakeOptions {
  speaks?: boolean;
  /** Adds that many bytes of padding. */
  padBytes?: number;
  /** The length of the take; ignored for takes with speech, which are as long as their words. */
  seconds?: number;
}

export interface TakePool {
  /** Makes a new take. */
  take(random: Random, options?: TakeOptions): Take;
}

const WORDS = [
  'good morning',
  'we want to go',
  'the weather is good',
  'open the door',
  'today is a good day',
  'thank you',
];
const TAKES_DIR = join(tmpdir(), 'recording-request-takes');
const MUTE_FILMS = 14;
const PICTURE = { width: 160, height: 90, frameRate: 10 } as const;

/** Opens the pool of short films from which takes are made. Generates the films once per machine. */
export async function openTakePool(dir = TAKES_DIR): Promise<TakePool> {
  const films: Film[] = [];
  const container = (at: number) => (at % 3 === 2 ? 'mp4' : 'webm');
  for (const [at, text] of WORDS.entries())
    films.push(await film(true, { dir, container: container(at), text, question: at, ...PICTURE }));
  for (let at = 0; at < MUTE_FILMS; at++) {
    // Gives each film another colour, so that no two films look the same.
    const look = { question: at, seconds: 1 + (at % 5) / 4, audio: at % 2 ? 'none' : 'silence' } as const;
    films.push(await film(false, { dir, container: container(at), ...look, ...PICTURE }));
  }
  return {
    take(random, { speaks = false, padBytes = 0, seconds } = {}) {
      const fitting = films.filter(each => each.speaks === speaks && (speaks || !seconds || each.seconds === seconds));
      return takeOf(random.pick(fitting), random, padBytes);
    },
  };
}

/** Makes a film outside the pool, with speech if there is a text. Returns a function that makes takes of the film. */
export async function openFilm(options: Omit<ClipOptions, 'dir'>): Promise<(random: Random) => Take> {
  const own = await film(options.text !== undefined, { dir: TAKES_DIR, ...options });
  return random => takeOf(own, random, 0);
}

function takeOf({ bytes: plain, mimeType, speaks, pictures }: Film, random: Random, padBytes: number): Take {
  const mark = random.bytes(24);
  // The padding repeats the take's mark, so that the test detects a mixture with bytes of another take.
  const padding = Buffer.concat([mark, Buffer.alloc(padBytes, mark)]);
  const bytes = Buffer.concat([plain, ignored(mimeType, padding)]);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), mimeType, speaks, pictures };
}

async function film(speaks: boolean, options: ClipOptions): Promise<Film> {
  const { path, mimeType } = await makeClip(options);
  return {
    path,
    mimeType,
    speaks,
    seconds: options.seconds,
    bytes: await readFile(path),
    pictures: await picturesOf(path),
  };
}

/** Returns FFmpeg's hash of a file's video packets. Rejects when the file is not a readable video. */
export async function picturesOf(path: string): Promise<string> {
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:v',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-hash',
    'md5',
    '-',
  ];
  return (await run('ffmpeg', args)).trim();
}

/** Returns bytes that players skip: an EBML Void for the end of WebM, a `free` box for the end of MP4. */
function ignored(mimeType: string, content: Buffer): Buffer {
  if (mimeType.startsWith('video/mp4')) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(content.length + 8);
    head.write('free', 4, 'latin1');
    return Buffer.concat([head, content]);
  }
  // The marker bit in the first byte means that the size has eight bytes.
  const head = Buffer.alloc(9);
  head[0] = 0xec;
  head.writeBigUInt64BE((1n << 56n) | BigInt(content.length), 1);
  return Buffer.concat([head, content]);
}
