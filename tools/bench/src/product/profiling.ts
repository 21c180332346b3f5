import { join, resolve } from 'node:path';

/** Returns the variables with which each service writes a CPU profile when it ends, into the folder `name` of `dir`; none without a folder. */
export const profiling = (dir: string | undefined, name: string): Record<string, string> =>
  dir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(join(resolve(dir), name))}` };
