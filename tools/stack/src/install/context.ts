import type { Log } from '../log.ts';

export interface InstallContext {
  /** PATH, the cache folder, and the variables that name existing programs. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Cancels the installation. */
  signal?: AbortSignal;
}
