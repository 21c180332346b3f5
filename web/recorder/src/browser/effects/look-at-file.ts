import type { FileKind, FileLook } from '../state/file.ts';

// Checks from a file's bytes whether the file is a video, because its name and type are only claims.

const HEAD_BYTES = 256 * 1024;
// The index of an hour with two tracks takes about 2 MB.
const INDEX_BYTES = 16 * 1024 * 1024;
const BOXES_MAX = 64;
const PROBE_MS = 3_000;

const text = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** Returns one letter per byte; 0x80 to 0x9f become Windows-1252 letters. */
const letters = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

const read = async (file: Blob, from: number, to: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(from, to).arrayBuffer());

/** The signatures of files that people choose by mistake. */
const SIGNATURES: [start: RegExp, kind: FileKind][] = [
  [/^%PDF-/, 'pdf'],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0\0\0\0|II\*\0|MM\0\*|RIFF.{4}WEBP)/s, 'picture'],
  [/^(?:ID3|\xff[\xe2-\xff]|OggS|fLaC|RIFF.{4}WAVE|FORM.{4}AIFF|#!AMR|caff)/s, 'audio'],
  [/^(?:RIFF.{4}AVI |FLV\x01|\x30\x26\xb2\x75|\0\0\x01[\xb3\xba]|G.{187}G)/s, 'otherFormat'],
];
const EBML = '\x1aE\xdf\xa3';
const BOXES = /^(?:ftyp|moov|mdat|moof|styp|sidx|free|skip|wide|pnot|uuid)$/;
const PICTURE_BRANDS = /^(?:heic|heix|heim|heis|mif1|msf1|avif|avis)$/;

/** Returns the kind of a file. Rejects when it cannot be read. */
export async function kindOf(file: Blob): Promise<FileKind> {
  if (file.size === 0) return 'empty';
  const head = await read(file, 0, 4096);
  const start = text(head, 0, 192);
  if (start.startsWith(EBML)) return kindOfMatroska(file);
  if (BOXES.test(start.slice(4, 8))) return kindOfMp4(file, start);
  return SIGNATURES.find(([pattern]) => pattern.test(start))?.[1] ?? 'notVideo';
}

/** Checks the codecs of the file's tracks, which are at the beginning: an id, a length, and a name such as V_VP9. */
async function kindOfMatroska(file: Blob): Promise<FileKind> {
  const head = letters(await read(file, 0, HEAD_BYTES));
  // The id 0x86 decodes to a dagger.
  const has = (kind: string) => new RegExp(`\u2020.${kind}_[A-Z]`, 's').test(head);
  return !has('V') && has('A') ? 'audio' : 'video';
}

/**
 * Checks the handlers of the file's tracks. No player can play a file without an index. If the search for the index
 * ended early, the server decides.
 */
async function kindOfMp4(file: Blob, start: string): Promise<FileKind> {
  const brand = start.slice(4, 8) === 'ftyp' ? start.slice(8, 12) : '';
  if (PICTURE_BRANDS.test(brand)) return 'picture';
  const index = await indexOf(file);
  if (!index) {
    if (brand.startsWith('M4A') || brand.startsWith('M4B')) return 'audio';
    return index === '' ? 'notVideo' : 'video';
  }
  const handlers = [...index.matchAll(/hdlr.{8}(.{4})/gs)].map(match => match[1]);
  return !handlers.includes('vide') && handlers.includes('soun') ? 'audio' : 'video';
}

/**
 * Returns the box `moov`, which is at the beginning or the end of a file; '' when the file has no `moov`, undefined
 * when the search ended early.
 */
async function indexOf(file: Blob): Promise<string | undefined> {
  let at = 0;
  for (let boxes = 0; boxes < BOXES_MAX; boxes++) {
    if (at + 8 > file.size) return '';
    const head = await read(file, at, at + 16);
    const view = new DataView(head.buffer);
    const short = view.getUint32(0);
    const size = short === 1 && head.length === 16 ? Number(view.getBigUint64(8)) : short || file.size - at;
    if (text(head, 4, 8) === 'moov') return letters(await read(file, at, at + Math.min(size, INDEX_BYTES)));
    if (size < 8) return undefined;
    at += size;
  }
  return undefined;
}

/** Returns the facts about a file before any upload. */
export async function lookAtFile(file: Blob): Promise<FileLook> {
  const kind = await kindOf(file).catch((): FileKind => 'unreadable');
  return kind === 'video' ? { kind, seconds: await secondsOf(file) } : { kind };
}

/** Returns the length of a file in seconds, if this browser knows it. */
function secondsOf(file: Blob): Promise<number | undefined> {
  return new Promise(resolve => {
    const video = document.createElement('video');
    const address = URL.createObjectURL(file);
    const done = () => {
      window.clearTimeout(limit);
      const { duration } = video;
      video.onloadedmetadata = video.ondurationchange = video.onerror = null;
      video.removeAttribute('src');
      video.load();
      URL.revokeObjectURL(address);
      resolve(Number.isFinite(duration) ? duration : undefined);
    };
    const limit = window.setTimeout(done, PROBE_MS);
    video.onerror = done;
    video.onloadedmetadata = () => {
      if (video.duration !== Number.POSITIVE_INFINITY) return done();
      // The browser learns the length of a live recording when it seeks to the end.
      video.ondurationchange = () => video.duration !== Number.POSITIVE_INFINITY && done();
      video.currentTime = Number.MAX_SAFE_INTEGER;
    };
    video.muted = true;
    video.preload = 'metadata';
    video.src = address;
  });
}
