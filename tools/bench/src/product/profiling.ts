import { join, resolve } from 'node:path';

/** Returns variables that make each service write a CPU profile at its end, into the folder `name` of `dir`; none without `dir`. */
export const profiling = (dir: string | undefined, name: string): Record<string, string> =>
  dir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(join(resolve(dir), name))}` };
