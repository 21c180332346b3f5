/** What the device keeps of a take beside its bytes. */
export interface TakeRecord {
  id: string;
  /** The path of the link that it was recorded for. */
  link: string;
  responseSessionId: string;
  /** null outside interviews. */
  questionIndex: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** MIME type, as the recorder or the file has it. */
  type: string;
  /** It is a file that was chosen. */
  byFile: boolean;
  /** Recorded time without pauses; 0 where it is not known (a file). */
  durationMs: number;
  /** Bytes of the whole, of which a full device has fewer. */
  recorded: number;
  /** False while it is being recorded or read: found so on a later visit, the page was closed in the middle. */
  stopped: boolean;
  /** The contributor has pressed Send. */
  sent: boolean;
  note: string;
  uploadUrl: string | null;
  /** Whether anything was heard and seen in it. */
  heard: boolean;
  seen: boolean;
}

/** A take as it was when an effect reported it. */
export interface Take extends Readonly<TakeRecord> {
  /** Bytes stored so far. */
  readonly size: number;
}
