import type { Log } from '../log.ts';

export interface InstallContext {
  /** PATH, the cache folder, and the variables that name programs to use instead. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Cancels the installation. */
  signal?: AbortSignal;
}
