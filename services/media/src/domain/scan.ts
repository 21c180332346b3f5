/** A codec may store at most this many pictures before a picture that players show earlier: 16, in H.264. */
export const MAX_REORDERED = 16;

/** In pixels, before rotation. */
export interface PictureSize {
  width: number;
  height: number;
}

/** A decoded picture. */
export interface Picture extends PictureSize {
  /** The colours that the stream states. */
  looks: string[];
}

/** The facts about a stream that its container states. */
export interface StreamHeader extends PictureSize {
  /** The stream's index among all streams of the file. */
  stream: number;
  kind: string;
  codec: string;
  /** True for a cover picture, which is not a video. */
  attachedPicture: boolean;
  channels: number;
  /** The display facts of the stream's pictures: "turn …", "pixels 4:3", "color_space bt709" and so on. */
  looks: string[];
}

/** Statistics of one stream's packets. Times are seconds on the file's own clock. */
export interface StreamScan extends StreamHeader {
  /**
   * The number of presented packets. In a video, the count starts at the first key frame, because earlier packets
   * cannot be decoded.
   */
  packets: number;
  /** The total bytes of the presented packets. */
  bytes: number;
  /** The number of packets that an edit list hides. */
  hidden: number;
  /** The number of sample descriptions: more than one if a camera changed its format. */
  descriptions: number;
  /** Undefined when no packet has a time. */
  firstSec: number | undefined;
  lastSec: number | undefined;
  /** The end of the last presented packet. */
  endSec: number | undefined;
  /** True when the file does not state the duration of the last packet. */
  openEnd: boolean;
  /**
   * For each packet, the number of packets before it that have a later time; this is the highest of these numbers,
   * counted up to MAX_REORDERED + 1.
   */
  overtaken: number;
  keyFrames: number[];
}

/** Statistics of a file's packets. Streams are in the file's order. */
export interface Scan {
  /** The name of the format as ffprobe prints it, such as "matroska,webm". */
  format: string;
  startSec: number | undefined;
  /** The duration that the container states; undefined when it states none, as in a live WebM. */
  headerDurationSec: number | undefined;
  streams: StreamScan[];
  /** True when the streams had to be read separately, because a joint reading stops when one of them ends. */
  readApart: boolean;
}

/** A packet. `sec` and `durationSec` are undefined when the container does not state them. */
export interface Packet {
  sec: number | undefined;
  durationSec: number | undefined;
  bytes: number;
  key: boolean;
  discarded: boolean;
  /** True when the packet has a new sample description. */
  described: boolean;
}

/** Adds up the packets of one stream in reading order. */
export class StreamTally {
  packets = 0;
  bytes = 0;
  hidden = 0;
  descriptions = 1;
  firstSec: number | undefined;
  lastSec: number | undefined;
  lastDurationSec: number | undefined;
  keyFrames: number[] = [];
  overtaken = 0;
  /** The latest times so far, in descending order. */
  private latest: number[] = [];
  private stepSec = 0;
  private begun = false;

  /** Returns the statistics of the packets so far. */
  statistics(): Omit<StreamScan, keyof StreamHeader> {
    const { packets, bytes, hidden, descriptions, firstSec, lastSec, endSec, openEnd, overtaken, keyFrames } = this;
    return { packets, bytes, hidden, descriptions, firstSec, lastSec, endSec, openEnd, overtaken, keyFrames };
  }

  add({ sec, durationSec, bytes, key, discarded, described }: Packet): void {
    if (described) this.descriptions += 1;
    // Edit lists hide these packets from the viewer. Another muxer may hide them differently.
    if (discarded) {
      this.hidden += 1;
      return;
    }
    if (key && !this.begun) {
      Object.assign(this, { begun: true, packets: 0, bytes: 0, firstSec: undefined, lastSec: undefined });
      Object.assign(this, { overtaken: 0, latest: [] });
    }
    if (key && sec !== undefined) this.keyFrames.push(sec);
    this.packets += 1;
    this.bytes += bytes;
    if (sec === undefined) return;
    this.noteOrder(sec);
    this.firstSec = Math.min(this.firstSec ?? sec, sec);
    if (this.lastSec !== undefined && sec < this.lastSec) return;
    this.stepSec = sec - (this.lastSec ?? sec);
    this.lastSec = sec;
    this.lastDurationSec = durationSec;
  }

  private noteOrder(sec: number): void {
    const place = this.latest.findIndex(time => time <= sec);
    const later = place < 0 ? this.latest.length : place;
    this.overtaken = Math.max(this.overtaken, later);
    this.latest.splice(later, 0, sec);
    if (this.latest.length > MAX_REORDERED + 1) this.latest.pop();
  }

  get openEnd(): boolean {
    return this.lastDurationSec === undefined;
  }

  /**
   * Returns the end of the last packet. If its duration is not stated, uses the step from the previous packet or the
   * average duration, whichever is smaller, and at most a second. The step is too long when pictures are out of order;
   * the average is too long after a gap.
   */
  get endSec(): number | undefined {
    if (this.lastSec === undefined || this.firstSec === undefined) return undefined;
    const average = this.packets > 1 ? (this.lastSec - this.firstSec) / (this.packets - 1) : 0;
    return this.lastSec + (this.lastDurationSec ?? Math.min(average, this.stepSec, 1));
  }
}
