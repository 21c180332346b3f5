/**
 * Runs the suites of media, authorization and erasure again, through an nginx that sends the bytes (`MEDIA_OFFLOAD=accel`).
 */
import { after } from 'node:test';
import { startTestSystem } from '@recording-request/testing/test-system';
import { behindNginx, offloadVariables } from './harness/behind-nginx.ts';
import { seedTwoOwners } from './harness/seed.ts';
import { openStores } from './harness/stores.ts';
import { authorization, prepareAuthorization } from './suites/authorization.ts';
import { media } from './suites/media.ts';
import { offload } from './suites/offload.ts';

const SECRET = 'what-nginx-shows-0123456789abcdef0123';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem({ logLevel: 'trace', env: offloadVariables(SECRET) }));
const front = starting.use(await behindNginx(system, SECRET));
const stores = await openStores(system);
starting.defer(() => stores.close());
const seed = starting.use(await seedTwoOwners(front.system));
const matrix = await prepareAuthorization(seed);
const started = starting.move();
after(() => started.disposeAsync());

media(seed);
authorization(matrix);
offload(seed, stores, { gateway: system.baseUrl, accessLog: front.accessLog, secret: SECRET });
