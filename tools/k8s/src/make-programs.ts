import { ensureHelm, ensureManifestTools } from './install.ts';

// Builds the programs of check:overlay into the cache folder. deploy/Dockerfile runs this for the image that checks.
const context = { env: process.env, log: (line: string) => console.error(line) };
await ensureHelm(context);
await ensureManifestTools(context, { strimzi: false });
