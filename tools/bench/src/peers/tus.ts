import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { fingerprintOf } from '@recording-request/stack/install/fingerprint';
import { run } from '@recording-request/stack/install/run';
import { type Peer, type PeerPlace, startPeer } from './peer.ts';
import { PEERS } from './sources.ts';

const SOURCES = join(PEERS, 'tus');
const LIMIT_MS = 10 * 60_000;

/** Returns the folder of the tus peer and its packages: from the cache, or installed once. Its lock file pins them by hash. */
export async function ensureTusPeer({ env, log, signal }: InstallContext): Promise<string> {
  return installOnce({
    root: cacheRoot(env),
    name: `bench-tus-${await fingerprintOf([SOURCES])}`,
    log,
    signal,
    fill: async into => {
      await cp(SOURCES, into, { recursive: true });
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', args, { what: 'installing the tus peer', log, signal, env, cwd: into, timeoutMs: LIMIT_MS });
    },
  });
}

/** Starts @tus/server with @tus/s3-store before a bucket of the object store. Uploads are created at /files. */
export const startTusPeer = (folder: string, place: PeerPlace, store: Record<string, string>): Promise<Peer> =>
  startPeer('tus', place, {
    command: process.execPath,
    args: () => [join(folder, 'server.mjs')],
    env: port => ({ ...store, PORT: String(port) }),
  });
