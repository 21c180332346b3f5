import type { Log } from '../log.ts';

/** What every step of an installation is given. */
export interface InstallContext {
  /** The variables that name programs to use instead, PATH and the cache folder. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Cancels the installation. */
  signal?: AbortSignal;
}
