import { clock } from '@recording-request/web-shared/clock';
import type { Message } from './state.ts';

// The kind of a chosen file, and the reason why it is refused.

export type FileKind =
  | 'video'
  | 'empty'
  | 'picture'
  | 'audio'
  | 'pdf'
  /** A video that the server does not accept. */
  | 'otherFormat'
  | 'notVideo'
  | 'unreadable';

/** `seconds` is the video's length, if the browser knows it. */
export type FileLook = { kind: 'video'; seconds?: number } | { kind: Exclude<FileKind, 'video'> };

// A browser may end a recording this much too late. The server allows this time too.
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

/** Returns the reason to refuse a file; undefined to accept the file. `limit` is the longest take in seconds. */
export function fileRefusal(look: FileLook, fileName: string, limit: number): Message | undefined {
  if (look.kind !== 'video') {
    // Isolates the direction of the file name.
    return [REFUSED[look.kind], { name: `\u2068${fileName}\u2069` }];
  }
  const { seconds } = look;
  if (seconds === undefined || seconds <= limit + GRACE_S) return undefined;
  return ['tooLong', { time: clock(seconds), limit: clock(limit) }];
}
