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

Starts a real one-node Kubernetes in separate namespaces on this machine, installs the product from deploy/, and disturbs it
under load; then the fault suite's checker judges every promise. Prints a table; exits with a status other than 0 if a
promise was broken. Needs root, cgroups of version 1, Go, and about 8 GB in the cache folder. All cases take about an hour on
two cores. The first run also builds Kubernetes, the images, KEDA and Traefik, which takes half an hour or more; later runs
start the cases after one or two minutes.

  --only A,B     run only these cases; the beginning of a name is enough
  --clips N      the minimum number of clips per case (default: ${CLIPS})
  --seed TEXT    replay the choices of an earlier run, which printed its seed
  --hold         keep the cluster until Ctrl-C after the last case, and print the commands that reach it
  --list         print the promise of each case
  --help         print this text

It changes no network, cgroup or setting of this machine. Ctrl-C ends it with all its processes.
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
