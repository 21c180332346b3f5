import type { Child } from '../child-process.ts';
import type { ServerName } from '../install/ensure.ts';

export interface StartContext {
  dataDir: string;
  /** The address on which it listens, also given to clients. */
  host: string;
  port: number;
  logFile: string;
  /** The environment that children inherit. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** With a certificate, MongoDB also accepts TLS, and the object store accepts only TLS. */
  certificate?: ServerCertificate | undefined;
}

/** A server's certificate for its address, and the authority that issued it; PEM. */
export interface ServerCertificate {
  cert: string;
  key: string;
  ca: string;
}

/** A server that is ready: its process (absent when it runs elsewhere), its address, and the variables for services. */
export interface RunningServer {
  name: ServerName;
  url: string;
  env: Record<string, string>;
  child?: Child;
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs: number;
}

/** Ends the child when it does not become ready, so that a failed start leaves nothing behind. */
export async function readyOrKilled<T>(child: Child, ready: Promise<T>): Promise<T> {
  try {
    return await ready;
  } catch (error) {
    child.kill('SIGKILL');
    await child.exited;
    throw error;
  }
}
