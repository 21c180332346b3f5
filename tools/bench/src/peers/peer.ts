import { type Child, startChild } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import { waitFor } from '@recording-request/stack/wait';

/** A server that the benchmark compares with the product. */
export interface Peer extends AsyncDisposable {
  url: string;
  pid: number;
}

/** The folder for the peers' logs, and the peers' variables. */
export interface PeerPlace {
  dir: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

const READY_MS = 60_000;
const GRACE_MS = 6_000;

/** Starts a peer on a free port and waits until it answers at `ready` with any status. The peer ends with this process. */
export async function startPeer(
  name: string,
  place: PeerPlace,
  {
    command,
    args,
    env,
    ready = '/',
  }: {
    command: string;
    args: (port: number) => string[] | Promise<string[]>;
    env?: (port: number) => Record<string, string>;
    ready?: string;
  },
): Promise<Peer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name,
    command,
    args: await args(port),
    env: { ...place.env, ...env?.(port) },
    logFile: `${place.dir}/logs/${name}.log`,
  });
  try {
    await waitFor(name, limit => answers(`${url}${ready}`, limit), {
      timeoutMs: READY_MS,
      child,
      signal: place.signal,
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  return { url, pid: child.pid, [Symbol.asyncDispose]: () => end(child) };
}

async function answers(url: string, signal: AbortSignal): Promise<true> {
  const answer = await fetch(url, { signal });
  await answer.body?.cancel();
  return true;
}

async function end(child: Child): Promise<void> {
  await child.stop(GRACE_MS);
}
