import type { Submission } from '@recording-request/client';
import { EXIT, Failure } from '../failures.ts';

/** The values of `rr pull --by`: one folder for each reference, question or day. */
export const GROUPS = ['reference', 'question', 'date'] as const;
export type Group = (typeof GROUPS)[number];

const LONGEST_BYTES = 80;
/** The table of the clips, in the folder of the mirror. */
export const TABLE = 'submissions.csv';
/** The folder of the records and the unfinished files. */
export const OWN_FOLDER = '.rr';
// Names of devices on Windows, whatever their extension.
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)$/i;
// The end of the name of each file of a clip. Such a name begins with the time, never with a `_`.
const CLIP_FILE = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]{1,5}$/;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);
const isTime = (value: unknown): boolean => typeof value === 'string' && TIME.test(value);
const isText = (value: unknown): boolean => (value ?? '') === '' || typeof value === 'string';

/** Fails unless the fields that become a path have the form that the API describes. */
export function checkClip(clip: Submission): void {
  const { submissionId, createdAt, changedAt, questionIndex, questionText, recipient } = clip;
  const wrong = [
    !isId(submissionId) && 'submissionId',
    !isTime(createdAt) && 'createdAt',
    !isTime(changedAt) && 'changedAt',
    !(questionIndex === null || (Number.isSafeInteger(questionIndex) && questionIndex >= 0)) && 'questionIndex',
    !isText(questionText) && 'questionText',
    !isText(recipient?.reference) && 'recipient.reference',
  ].find(Boolean);
  if (wrong)
    throw new Failure(
      EXIT.unreachable,
      `The server sent a clip with an invalid ${wrong}, and nothing of this clip was written. Check the address, or ask the operator.`,
    );
}

/** Returns whether a path, relative to the folder, may be a file of this clip. */
export function isPathOf(submissionId: string, path: unknown): path is string {
  if (typeof path !== 'string' || /[\\:\p{Cc}]/u.test(path)) return false;
  const parts = path.split('/');
  const at = parts.at(-1)!.lastIndexOf(`${submissionId}.`);
  const extension = parts.at(-1)!.slice(at + submissionId.length + 1);
  return parts.length <= 2 && parts.every(part => /^[^.]/.test(part)) && at >= 0 && /^[a-z0-9]{1,5}$/.test(extension);
}

/**
 * Returns the path of a clip's files without the extension, relative to the folder, with `/`. It depends on the clip
 * alone; the id makes it unique.
 */
export function stemOf(clip: Submission, group: Group | undefined): string {
  const time = clip.createdAt.slice(0, 19).replace('T', ' ').replaceAll(':', '-');
  const words = [
    time,
    safe(clip.recipient?.reference ?? ''),
    clip.questionIndex === null ? '' : `Q${clip.questionIndex + 1}`,
    clip.submissionId,
  ];
  const name = words.filter(Boolean).join(' ');
  const folder = folderOf(clip, group);
  return folder === undefined ? name : `${folder}/${name}`;
}

function folderOf(clip: Submission, group: Group | undefined): string | undefined {
  if (group === undefined) return undefined;
  if (group === 'date') return clip.createdAt.slice(0, 10);
  if (group === 'reference') return unlikeFiles(safe(clip.recipient?.reference ?? '')) || 'no reference';
  if (clip.questionIndex === null) return 'no question';
  const text = safe(clip.questionText ?? '');
  return unlikeFiles(`Q${clip.questionIndex + 1}${text ? ` ${text}` : ''}`.trim());
}

/**
 * Returns the name of a folder. Puts a `_` in front of a name that equals the name of a file of the mirror, or may
 * equal it on a file system that ignores case and invisible letters. Contributors could choose such a name as their
 * reference.
 */
function unlikeFiles(name: string): string {
  const bare = name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  return bare === TABLE || bare === OWN_FOLDER || CLIP_FILE.test(bare) ? `_${name}` : name;
}

/**
 * Returns a text as a name that Linux, macOS and Windows accept: without path separators, reserved characters, control
 * characters and format characters, not hidden, and of at most 80 bytes.
 */
export function safe(text: string): string {
  let name = text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  while (Buffer.byteLength(name) > LONGEST_BYTES) name = [...name].slice(0, -1).join('');
  name = name.replace(/[. ]+$/, '');
  return DEVICE.test(name.split('.')[0]!.trimEnd()) ? `_${name}` : name;
}

// The server chooses the file's name. With another extension, a program could run the file.
const VIDEO = /\.(webm|mp4|m4v|mov|mkv|avi|wmv|flv|mpe?g|m?ts|3gp|3g2|ogv|ogg|mp3|m4a|wav)$/i;
const EXTENSIONS: Record<string, string> = {
  'video/webm': 'webm',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
};

/** Returns the extension of a clip: from the file name that the service suggests, or else from its type. */
export function extensionOf(fileName: string | undefined, mimeType: string | null): string {
  const suggested = VIDEO.exec(fileName ?? '')?.[1]?.toLowerCase();
  return suggested ?? EXTENSIONS[mimeType?.split(';')[0] ?? ''] ?? 'video';
}
