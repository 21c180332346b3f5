import { ensureDebian } from '@recording-request/stack/install/debian';
import { ensureNginx } from '@recording-request/stack/install/nginx';
import type { Log } from '@recording-request/stack/log';
import { ensureGoPeers } from './go.ts';
import type { PeerPlace } from './peer.ts';
import { ensureTusPeer } from './tus.ts';

/** A program that must be installed before a row starts. */
export type Need = 'go' | 'nginx' | 'tus' | 'zip' | 'curl' | 'media' | 'chromium';

/** The paths of the peers' programs. A path is undefined if no row needs the program. */
export interface Peers {
  place: PeerPlace;
  go?: string;
  nginx?: string;
  tus?: string;
}

/** The media service does not start without ffmpeg. */
const ALWAYS = ['ffmpeg'];
const DEBIAN: Partial<Record<Need, string[]>> = {
  chromium: ['chromium'],
  curl: ['curl'],
  zip: ['zip', 'unzip'],
  media: ['ffmpeg', 'flite'],
};

/** Finds or installs the programs for the rows. Rejects with a sentence that names a missing program. */
export async function ensurePeers(needs: ReadonlySet<Need>, place: PeerPlace, log: Log): Promise<Peers> {
  const context = { env: place.env, log, signal: place.signal };
  await ensureDebian([...new Set([...ALWAYS, ...[...needs].flatMap(need => DEBIAN[need] ?? [])])], log, context);
  return {
    place,
    ...(needs.has('go') && { go: await ensureGoPeers(context) }),
    ...(needs.has('nginx') && { nginx: await ensureNginx(context) }),
    ...(needs.has('tus') && { tus: await ensureTusPeer(context) }),
  };
}
