import { createProjectChecks } from '@recording-request/contract/project-checks';
import { createFairSlots, type FairSlots } from '@recording-request/kit/fair-slots';
import type { Logger } from '@recording-request/kit/log';
import { createSecretBox, type SecretBox } from '@recording-request/kit/secret-box';
import type { Clock } from '@recording-request/kit-mongo/clock';
import type { Connection } from '@recording-request/kit-mongo/mongo';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import type { Config } from './config.ts';
import { openStore, type Store } from './store/store.ts';

const SETTLE_DELAY_MS = 20;
// The maximum number of concurrent lists. A list takes up to two of the 50 connections to MongoDB, so some connections
// are left for all other calls.
const LISTS_AT_ONCE = 16;
const CREATIONS_AT_ONCE = 8;
const QUEUED = 256;

/** The shared objects of handlers and workflows. */
export interface Context extends AsyncDisposable {
  config: Config;
  /**
   * The database's clock. The times in records come only from this clock, and the service compares them only with it.
   */
  clock: Clock;
  secrets: SecretBox;
  internal: Internal;
  store: Store;
  connection: Connection;
  /** The functions that check the values of a request against the public contract. */
  checks: ReturnType<typeof createProjectChecks>;
  /** Slots that owners share. They are limited because a page of links or a creation needs about 1 MB of memory. */
  lists: FairSlots;
  creations: FairSlots;
}

export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const internal = opened.use(await openInternal(config, 'projects', log));
  const secrets = createSecretBox(config.secretsKey);
  const opening = openStore({
    mongo: config,
    idempotency: { keepMs: config.idempotencyKeepSeconds * 1000, leaseMs: config.idempotencyLeaseSeconds * 1000 },
    transfers: { leaseMs: config.claimLeaseMs, settleDelayMs: SETTLE_DELAY_MS, log },
  });
  const store = opened.adopt(await opening, each => each.close());
  const parts = opened.move();
  return {
    config,
    clock: store.clock,
    secrets,
    internal,
    store,
    connection: store.connection,
    checks: createProjectChecks(config),
    lists: createFairSlots(LISTS_AT_ONCE, { queued: QUEUED }),
    creations: createFairSlots(CREATIONS_AT_ONCE, { queued: QUEUED }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
