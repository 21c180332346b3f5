/** Names of downloads: by the project, the link and the question, and such that every file system takes them. */

// Characters that some file system refuses or that a shell or a browser reads otherwise.
const RESERVED = /[<>:"/\\|?*%\p{Cc}\p{Cs}\u2028\u2029\ufffd]/gu;
// They show nothing, or turn the text around, so that a name looks as if it had another extension. Joiners make the letters of
// some scripts, and emoji, what they are.
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
// Windows opens a device in place of a file of this name, whatever its extension.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const MAX_BYTES = 150;
const SEPARATOR = ' - ';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The name of a file: the parts that have something to show, then `last`, which is ours and stays whole. */
export function downloadName(parts: readonly string[], last: string): string {
  const shown = parts.map(clean).filter(part => part !== '');
  const room = MAX_BYTES - bytesOf(last) - shown.length * SEPARATOR.length;
  const name = [...shortened(shown, room), last].join(SEPARATOR);
  return name.replace(DEVICE, '_$&');
}

/** The parts of a clip that name its files, beside its project. */
export interface NamedClip {
  /** Its position is 0 for the shared link, from 1 for the others in the order of their making. */
  link?: { position: number } | undefined;
  createdAt?: Date | undefined;
  questionIndex?: number | undefined;
  questionText?: string | undefined;
}

/** Parts of a clip's name: the number of its link, of a shared one the time of the clip, and the question. */
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
    // A dot or a hyphen in front hides a file or is an option; Windows takes dots and spaces off the end.
    .replaceAll(/^[\s.~-]+|[\s.]+$/g, '');

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The parts in so many bytes together: the longest give the most. */
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

/** At a character as a person sees it. */
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
