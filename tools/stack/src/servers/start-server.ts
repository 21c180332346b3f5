import type { Child } from '../child-process.ts';
import type { ServerName } from '../install/ensure.ts';

export interface StartContext {
  dataDir: string;
  /** The listen address of the server. Clients use the same address. */
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

/** A server that is ready: its process (absent if it runs elsewhere), its address, and the variables for services. */
export interface RunningServer {
  name: ServerName;
  url: string;
  env: Record<string, string>;
  child?: Child;
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs: number;
}

/** Waits until the child is ready. Otherwise ends the child, so that a failed start leaves no process behind. */
export async function readyOrKilled<T>(child: Child, ready: Promise<T>): Promise<T> {
  try {
    return await ready;
  } catch (error) {
    child.kill('SIGKILL');
    await child.exited;
    throw error;
  }
}
