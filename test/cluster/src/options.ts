import { FLAG, named, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { CASES } from './cases/all.ts';

export interface Options {
  only: string[];
  seed: string;
  clips: number;
  hold: boolean;
  list: boolean;
  help: boolean;
}

const CLIPS = 24;

export const HELP = `npm run k8s [-- options]

Starts a real Kubernetes of one node on this machine, within namespaces of its own, installs the product in it from deploy/,
and lets things happen to it under load; then the fault suite's checker decides whether every promise was kept. Prints a
table; ends with a status other than 0 when one was not. Needs root, cgroups of version 1, Go, and about 8 GB of the cache
folder. All cases take about an hour on two cores. The first run builds Kubernetes, the images, KEDA and Traefik before, which takes
half an hour or more; later ones begin after one or two minutes.

  --only A,B     only these cases; a name's beginning is enough
  --clips N      clips that each case hands in at least (default: ${CLIPS})
  --seed TEXT    replays the choices of an earlier run: the seed is printed
  --hold         after the last case the cluster goes on, and what to reach it by is printed, until Ctrl-C
  --list         what the cases promise
  --help         this text

Nothing of this machine's network, cgroups or settings is changed. Ctrl-C ends it, and what it started with it.
`;

/** Parses the command line. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const values = parseFlags(args, { only: TEXT, clips: TEXT, seed: TEXT, hold: FLAG, list: FLAG });
  const { only, seed = Date.now().toString(36), clips = String(CLIPS), ...flags } = values;
  return {
    ...{ ...flags, seed },
    only: only === undefined ? [] : named(only, CASES, 'case').map(({ name }) => name),
    clips: wholeNumber('--clips', clips, { min: 1, max: 9_999 }),
  };
}
