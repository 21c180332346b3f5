import type { Child } from '@recording-request/stack/child-process';
import { startChild } from '@recording-request/stack/child-process';
import { readyOrKilled } from '@recording-request/stack/servers/start-server';
import { waitFor } from '@recording-request/stack/wait';

// The limit is the same as for the services. Java compiles much code during its start, which takes minutes on a busy
// machine.
const READY_MS = 5 * 60_000;

export interface ServerContext {
  /** The folder of the servers' data and of `logs/<name>.log`. */
  dataDir: string;
  /** The environment that children inherit. */
  env: NodeJS.ProcessEnv;
  /** Cancels the start. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a program and waits until `isReady` returns true. On failure, ends the program and rejects with the end of its
 * log.
 */
export async function startServer(
  options: {
    name: string;
    command: string;
    args: string[];
    env?: NodeJS.ProcessEnv;
    isReady: (limit: AbortSignal) => Promise<boolean>;
  },
  { dataDir, env, signal }: ServerContext,
): Promise<Child> {
  const { name, command, args, isReady } = options;
  const logFile = `${dataDir}/logs/${name}.log`;
  const child = await startChild({ name, command, args, logFile, env: { ...env, ...options.env } });
  const look = async (limit: AbortSignal) => ((await isReady(limit)) ? true : undefined);
  await readyOrKilled(child, waitFor(name, look, { timeoutMs: READY_MS, child, signal }));
  return child;
}

/** Returns whether a URL responds with a status below 300. Rejects without a response. */
export async function answers(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<boolean> {
  const answer = await fetch(url, { ...init, signal });
  await answer.body?.cancel();
  return answer.ok;
}
