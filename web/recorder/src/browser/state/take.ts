import type { AnswerModeName } from '@recording-request/contract/resources/fields';

/** A take's record on the device, in addition to its bytes. */
export interface TakeRecord {
  id: string;
  /** The path of the take's link. */
  link: string;
  responseSessionId: string;
  /** null outside interviews. */
  questionIndex: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The MIME type from the recorder or the file. */
  type: string;
  /** True for a chosen file. */
  byFile: boolean;
  /** The recorded time without pauses; 0 when unknown (a file). */
  durationMs: number;
  /** The bytes of the whole take; a full device has stored fewer. */
  recorded: number;
  /**
   * False during recording or reading. On a later visit, false means that the page was closed during the recording or
   * reading.
   */
  stopped: boolean;
  /** True after Send. */
  sent: boolean;
  note: string;
  uploadUrl: string | null;
  /** True if the take has sound and a picture. */
  heard: boolean;
  seen: boolean;
  /** Undefined in a take that an older page has left. */
  answerMode?: AnswerModeName;
  /** True if the contributor signs: silence is expected. */
  signed?: boolean;
}

/** A snapshot of a take in an event. */
export interface Take extends Readonly<TakeRecord> {
  /** The stored bytes so far. */
  readonly size: number;
}
