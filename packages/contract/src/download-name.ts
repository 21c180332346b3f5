/** Builds names of downloads from the project, the link and the question. Every file system accepts these names. */

// Characters that some file systems refuse, or that a shell or a browser interprets.
const RESERVED = /[<>:"/\\|?*%\p{Cc}\p{Cs}\u2028\u2029\ufffd]/gu;
// These characters are invisible or reverse the text, so a name could seem to have another extension. Joiners are
// allowed, because some scripts and emoji need them.
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
// Windows opens a device instead of a file with this name, even if the name has an extension.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const MAX_BYTES = 150;
const SEPARATOR = ' - ';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Returns the visible characters of `parts`, shortened to fit, then `last` at its full length. A name that would be a
 * device on Windows gets one byte more.
 */
export function downloadName(parts: readonly string[], last: string, maxBytes = MAX_BYTES): string {
  const shown = parts.map(clean).filter(part => part !== '');
  const room = maxBytes - bytesOf(last) - shown.length * SEPARATOR.length;
  const name = [...shortened(shown, room).filter(part => part !== ''), last].join(SEPARATOR);
  return name.replace(DEVICE, '_$&');
}

/** The parts of a clip's file names, in addition to its project. */
export interface NamedClip {
  /** The position is 0 for the shared link; unique links count from 1 in order of creation. */
  link?: { position: number } | undefined;
  createdAt?: Date | undefined;
  questionIndex?: number | undefined;
  questionText?: string | undefined;
}

/** Returns the parts of a clip's name: the link's number (for a shared link, the clip's time) and the question. */
export function clipParts({ link, createdAt, questionIndex, questionText = '' }: NamedClip): string[] {
  const from = link && link.position > 0 ? `Link ${link.position}` : timeOf(createdAt);
  return [from, questionIndex === undefined ? '' : `Question ${questionIndex + 1} ${questionText}`];
}

const timeOf = (at: Date | undefined): string =>
  at?.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.') ?? '';

const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(UNSEEN, '')
    .replaceAll(RESERVED, ' ')
    .replaceAll(/\s+/g, ' ')
    // A leading dot hides a file, and a leading hyphen looks like an option. Windows removes trailing dots and spaces.
    .replaceAll(/^[\s.~-]+|[\s.]+$/g, '');

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Cuts the longest parts, so that all parts together have at most `room` bytes. */
function shortened(parts: string[], room: number): string[] {
  const order = parts.map((_, index) => index).sort((a, b) => bytesOf(parts[a]!) - bytesOf(parts[b]!));
  const kept = [...parts];
  let left = room;
  order.forEach((index, taken) => {
    kept[index] = cut(parts[index]!, Math.floor(left / (parts.length - taken)));
    left -= bytesOf(kept[index]!);
  });
  return kept;
}

/** Cuts between grapheme clusters, which a person sees as single characters. */
function cut(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += bytesOf(segment);
    if (used > bytes) break;
    kept += segment;
  }
  return kept.replace(/[\s.]+$/, '');
}
