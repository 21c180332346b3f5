import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The folder of the peers' sources that are not TypeScript. */
export const PEERS = join(ROOT, 'tools/bench/peers');
