import { decimal, FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';

export interface Options {
  clipsPerMinute: number | undefined;
  /** Undefined for a measurement. */
  seconds: number | undefined;
  megabytes: number | undefined;
  speechSeconds: number;
  measure: boolean;
  json: boolean;
  help: boolean;
}

/** The command that writes the costs of a clip. */
export const MEASURE = 'npm run capacity -- --measure';

export const HELP = `npm run capacity -- --seconds S [options]
npm run capacity -- --measure

Says what so many clips a minute need: pods of each service, partitions, storage, bandwidth, and what of the installation in deploy/k8s ends
first. Without --clips-per-minute a table for 10, 100 and 1,000. What a clip costs was measured: tools/load/src/plan/measured.json.

  --clips-per-minute N   clips that land in a minute, on average
  --seconds S            the length of a clip
  --size MB              its size; by default as many bytes a second as the longest of the measured clips
  --speech-seconds T     what your speech endpoint takes for a clip (default: 0, the one of the measurement answers at once)
  --measure              measures first, on this machine, which should do nothing else (five minutes, as root; ffmpeg is compiled
                         before it, five minutes the first time), and writes the file; alone, nothing but that
  --json                 the same for programs
  --help                 this text
`;

/** Parses the command line. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const { help, json, measure, ...given } = parseFlags(args, {
    ...{ 'clips-per-minute': TEXT, seconds: TEXT, size: TEXT, 'speech-seconds': TEXT },
    ...{ measure: FLAG, json: FLAG },
  });
  const number = (name: keyof typeof given, min: number, max: number) =>
    given[name] === undefined ? undefined : decimal(`--${name}`, given[name], { min, max });
  const seconds = number('seconds', 0.1, 14_400);
  if (seconds === undefined && !help && !measure)
    throw new UsageError('--seconds is missing: how long is a clip? See --help.');
  return {
    seconds,
    clipsPerMinute: number('clips-per-minute', 0.01, 1_000_000),
    megabytes: number('size', 0.001, 100_000),
    speechSeconds: number('speech-seconds', 0, 3_600) ?? 0,
    ...{ help, json, measure },
  };
}
