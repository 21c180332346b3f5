import type { Child } from '../child-process.ts';
import type { ServerName } from '../install/ensure.ts';

/** What every server is started with. */
export interface StartContext {
  dataDir: string;
  /** The address that it listens on, and that clients are given. */
  host: string;
  port: number;
  logFile: string;
  /** The environment that children inherit. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** With it MongoDB takes TLS too, and the object store nothing else. */
  certificate?: ServerCertificate | undefined;
}

/** What a server shows, for its address, and the authority that issued it; PEM. */
export interface ServerCertificate {
  cert: string;
  key: string;
  ca: string;
}

/** A server that answers: its process (absent when it is run elsewhere), its address, and the variables that services read. */
export interface RunningServer {
  name: ServerName;
  url: string;
  env: Record<string, string>;
  child?: Child;
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs: number;
}

/** Ends the child when it does not become ready, so that a rejected start leaves nothing behind. */
export async function readyOrKilled<T>(child: Child, ready: Promise<T>): Promise<T> {
  try {
    return await ready;
  } catch (error) {
    child.kill('SIGKILL');
    await child.exited;
    throw error;
  }
}
