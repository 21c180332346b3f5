import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';

/** The properties of a clip that determine its costs. */
export interface ClipSize {
  seconds: number;
  /** The size in units of 10⁶ bytes. */
  megabytes: number;
}

/** The constant part of a clip's cost, and the parts per second and per megabyte. */
export interface Cost {
  clip: number;
  perSecond: number;
  perMegabyte: number;
}

export const SERVERS = ['mongo', 'kafka', 's3'] as const;
export type Spender = ServiceName | (typeof SERVERS)[number];
export const SPENDERS: readonly Spender[] = [...SERVICES, ...SERVERS];

/** One measured kind of clip: averages of its clips. */
export interface Sample extends ClipSize {
  clips: number;
  /**
   * The CPU seconds of each service (with its ffmpeg) and of each server, from the first request until the clip is
   * complete.
   */
  cpuSeconds: Record<Spender, number>;
  /** The part of these CPU seconds that media's job uses. Excludes the inspection of the upload before it lands. */
  jobCpuSeconds: number;
  /** The seconds that one media slot takes for a clip while others wait. */
  jobSeconds: number;
  /** The bytes that stay in the object store. */
  storedBytes: number;
  /** The bytes of the clip's sound, which transcription reads. */
  audioBytes: number;
  /** The size of documents and indexes, before MongoDB compresses them. */
  databaseBytes: number;
  /** The size of Kafka's logs, on one broker. */
  eventBytes: number;
}

export interface Measured {
  at: string;
  command: string;
  machine: { cpus: number; model: string; memoryGiB: number; node: string };
  /** The CPU cores that each process uses when idle. */
  idleCores: Record<Spender, number>;
  samples: Sample[];
}

const FILE = fileURLToPath(new URL('measured.json', import.meta.url));

export const readMeasured = async (): Promise<Measured> => JSON.parse(await readFile(FILE, 'utf8'));
export const writeMeasured = (measured: Measured): Promise<void> =>
  writeFile(FILE, `${JSON.stringify(measured, undefined, 2)}\n`);

/**
 * Returns the cost of a clip of this size, derived from the three measured kinds of clips. The cost is never negative.
 */
export function costOf(samples: Sample[], size: ClipSize, value: (sample: Sample) => number): number {
  const { clip, perSecond, perMegabyte } = fit(samples, value);
  return Math.max(0, clip + perSecond * size.seconds + perMegabyte * size.megabytes);
}

/** Returns the mean of the costs that do not depend on a clip's length and size. */
export const meanOf = (samples: Sample[], value: (sample: Sample) => number): number =>
  samples.reduce((sum, sample) => sum + value(sample), 0) / samples.length;

/** Solves the three equations that three samples of different length and size give. */
export function fit(samples: Sample[], value: (sample: Sample) => number): Cost {
  if (samples.length !== 3) throw new Error(`three kinds of clips are needed, not ${samples.length}`);
  const rows = samples.map(sample => [1, sample.seconds, sample.megabytes, value(sample)]);
  for (let at = 0; at < 3; at++) {
    const pivot = rows.slice(at).reduce((best, row) => (Math.abs(row[at]!) > Math.abs(best[at]!) ? row : best));
    if (Math.abs(pivot[at]!) < 1e-9) throw new Error('the measured clips do not differ in length and size');
    rows.splice(rows.indexOf(pivot), 1, rows[at]!);
    rows[at] = pivot.map(each => each / pivot[at]!);
    for (const [other, row] of rows.entries())
      if (other !== at) rows[other] = row.map((each, column) => each - row[at]! * rows[at]![column]!);
  }
  const [clip, perSecond, perMegabyte] = rows.map(row => row[3]!) as [number, number, number];
  return { clip, perSecond, perMegabyte };
}
