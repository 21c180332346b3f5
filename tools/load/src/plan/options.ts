import { decimal, FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';

export interface Options {
  clipsPerMinute: number | undefined;
  /** The length of a clip; undefined for --help, and for --measure without --seconds. */
  seconds: number | undefined;
  megabytes: number | undefined;
  speechSeconds: number;
  measure: boolean;
  help: boolean;
}

/** The command that writes the costs of a clip. */
export const MEASURE = 'npm run capacity -- --measure';

export const HELP = `npm run capacity -- --seconds S [options]
npm run capacity -- --measure

Prints the resources for a rate of clips: pods of each service, partitions, storage, bandwidth, and the first limit of the
installation in deploy/k8s. Without --clips-per-minute prints a table for 10, 100 and 1,000. The costs of a clip were measured:
tools/load/src/plan/measured.json.

  --clips-per-minute N   average number of landed clips a minute
  --seconds S            the length of a clip
  --size MB              the size of a clip; by default, with the byte rate of the longest measured clip
  --speech-seconds T     the time of your speech endpoint for a clip (default: 0; the measured endpoint answers at once)
  --measure              measure the costs first and write the file. Takes five minutes on this machine, which must be idle, as
                         root, and five minutes more the first time to compile ffmpeg. Without --seconds, only measure
  --help                 this text
`;

/** Parses the command line. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const { help, measure, ...given } = parseFlags(args, {
    ...{ 'clips-per-minute': TEXT, seconds: TEXT, size: TEXT, 'speech-seconds': TEXT },
    measure: FLAG,
  });
  const number = (name: keyof typeof given, min: number, max: number) =>
    given[name] === undefined ? undefined : decimal(`--${name}`, given[name], { min, max });
  const seconds = number('seconds', 0.1, 14_400);
  if (seconds === undefined && !help && !measure)
    throw new UsageError('--seconds is missing: give the length of a clip. See --help.');
  return {
    seconds,
    clipsPerMinute: number('clips-per-minute', 0.01, 1_000_000),
    megabytes: number('size', 0.001, 100_000),
    speechSeconds: number('speech-seconds', 0, 3_600) ?? 0,
    ...{ help, measure },
  };
}
