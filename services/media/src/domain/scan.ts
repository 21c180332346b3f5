/** In pixels, before it is turned. */
export interface PictureSize {
  width: number;
  height: number;
}

/** A picture that was decoded. */
export interface Picture extends PictureSize {
  /** Its colours, as the stream states them. */
  looks: string[];
}

/** Facts about a stream, as its container states them. */
export interface StreamHeader extends PictureSize {
  /** Its index among all streams of the file. */
  stream: number;
  kind: string;
  codec: string;
  /** A cover picture, not a video. */
  attachedPicture: boolean;
  channels: number;
  /** How its pictures are shown: "turn …", "pixels 4:3", "color_space bt709" and so on. */
  looks: string[];
}

/** Statistics of the packets of one stream. Times are seconds on the file's own clock. */
export interface StreamScan extends StreamHeader {
  /** The number of packets that are presented; of a video, from its first key frame on: nothing before it can be decoded. */
  packets: number;
  /** Theirs. */
  bytes: number;
  /** Packets that an edit list hides. */
  hidden: number;
  /** Descriptions that its packets are decoded by: more than one where a camera changed its format. */
  descriptions: number;
  /** Undefined without a packet that has a time. */
  firstSec: number | undefined;
  lastSec: number | undefined;
  /** The end of the last packet that is presented. */
  endSec: number | undefined;
  /** Whether the file does not say how long that packet lasts. */
  openEnd: boolean;
  keyFrames: number[];
}

/** Statistics of the packets of a file. Streams are in the file's order. */
export interface Scan {
  /** As ffprobe names the format, such as "matroska,webm". */
  format: string;
  startSec: number | undefined;
  /** The duration that the container states; undefined where it states none, as in a live WebM. */
  headerDurationSec: number | undefined;
  streams: StreamScan[];
  /** Whether the streams had to be read each by itself, as together they end where the first of them does. */
  readApart: boolean;
}

/** A packet as it is read. `sec` and `durationSec` are undefined where the container does not state them. */
export interface Packet {
  sec: number | undefined;
  durationSec: number | undefined;
  bytes: number;
  key: boolean;
  discarded: boolean;
  /** Whether a new description of the stream comes with it. */
  described: boolean;
}

/** Adds up the packets of one stream, in the order in which they are read. */
export class StreamTally {
  packets = 0;
  bytes = 0;
  hidden = 0;
  descriptions = 1;
  firstSec: number | undefined;
  lastSec: number | undefined;
  lastDurationSec: number | undefined;
  keyFrames: number[] = [];
  private stepSec = 0;
  private begun = false;

  add({ sec, durationSec, bytes, key, discarded, described }: Packet): void {
    if (described) this.descriptions += 1;
    // An edit list hides these from the viewer; other muxers hide them in other ways.
    if (discarded) {
      this.hidden += 1;
      return;
    }
    if (key && !this.begun)
      Object.assign(this, { begun: true, packets: 0, bytes: 0, firstSec: undefined, lastSec: undefined });
    if (key && sec !== undefined) this.keyFrames.push(sec);
    this.packets += 1;
    this.bytes += bytes;
    if (sec === undefined) return;
    this.firstSec = Math.min(this.firstSec ?? sec, sec);
    if (this.lastSec !== undefined && sec < this.lastSec) return;
    this.stepSec = sec - (this.lastSec ?? sec);
    this.lastSec = sec;
    this.lastDurationSec = durationSec;
  }

  get openEnd(): boolean {
    return this.lastDurationSec === undefined;
  }

  /**
   * The end of the last packet. One without a duration lasts as long as the one before it or, where that is less, as packets do on
   * average, at most a second: a gap is in the average, and pictures out of order in the step.
   */
  get endSec(): number | undefined {
    if (this.lastSec === undefined || this.firstSec === undefined) return undefined;
    const average = this.packets > 1 ? (this.lastSec - this.firstSec) / (this.packets - 1) : 0;
    return this.lastSec + (this.lastDurationSec ?? Math.min(average, this.stepSec, 1));
  }
}
