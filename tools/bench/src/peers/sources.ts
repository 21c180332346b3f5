import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Where the sources of the peers are, those that are not written in TypeScript. */
export const PEERS = join(ROOT, 'tools/bench/peers');
