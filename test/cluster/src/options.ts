import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
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
  const { only = '', seed = Date.now().toString(36), clips = String(CLIPS), hold, list, help } = valuesOf(args);
  if (!/^[1-9]\d{0,3}$/.test(clips)) throw new UsageError(`--clips takes a number from 1 to 9999, not "${clips}".`);
  const names = only.split(',').filter(Boolean);
  const unknown = names.find(name => !CASES.some(each => each.name.startsWith(name)));
  if (unknown) throw new UsageError(`No case is called ${unknown}: see --list.`);
  return { only: names, seed, clips: Number(clips), hold, list, help };
}

function valuesOf(args: string[]) {
  return parseCommandLine({
    args,
    options: {
      only: { type: 'string' },
      clips: { type: 'string' },
      seed: { type: 'string' },
      hold: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}
