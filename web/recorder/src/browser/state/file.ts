import { clock } from '@recording-request/web-shared/clock';
import type { Message } from './state.ts';

// The kind of a chosen file, and the reason why it is refused.

export type FileKind =
  | 'video'
  | 'empty'
  | 'picture'
  | 'audio'
  | 'pdf'
  /** A video that the server does not take. */
  | 'otherFormat'
  | 'notVideo'
  | 'unreadable';

/** `seconds`: its length, where the browser can tell it. */
export type FileLook = { kind: 'video'; seconds?: number } | { kind: Exclude<FileKind, 'video'> };

// Browsers end a recording late by that much, and the server allows it.
const GRACE_S = 2;

const REFUSED: Record<Exclude<FileKind, 'video'>, string> = {
  empty: 'fileEmpty',
  picture: 'filePicture',
  audio: 'fileAudio',
  pdf: 'filePdf',
  otherFormat: 'fileFormat',
  notVideo: 'fileNotVideo',
  unreadable: 'fileUnreadable',
};

/** Returns why a file is not taken, undefined where it is. `limit`: seconds that a take may last. */
export function fileRefusal(look: FileLook, fileName: string, limit: number): Message | undefined {
  if (look.kind !== 'video') {
    // A name has its own direction.
    return [REFUSED[look.kind], { name: `\u2068${fileName}\u2069` }];
  }
  const { seconds } = look;
  if (seconds === undefined || seconds <= limit + GRACE_S) return undefined;
  return ['tooLong', { time: clock(seconds), limit: clock(limit) }];
}
