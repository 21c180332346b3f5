import { ensurePrometheus } from '../install/prometheus.ts';

/** Returns the path of promtool; installs it if it is missing. */
export const promtoolPath = async (): Promise<string> =>
  (await ensurePrometheus({ env: process.env, log: line => console.error(line) })).promtool;
