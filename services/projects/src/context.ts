import type { Clock } from '@recording-request/kit/clock';
import type { Logger } from '@recording-request/kit/log';
import { createSecretBox, type SecretBox } from '@recording-request/kit/secret-box';
import type { Config } from './config.ts';
import { openStore, type Store } from './store/store.ts';

const SETTLE_DELAY_MS = 20;

/** What handlers and workflows are given. */
export interface Context {
  config: Config;
  /** The database's: records are made and compared by it alone. */
  clock: Clock;
  secrets: SecretBox;
  store: Store;
}

/** Connects to MongoDB. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  const secrets = createSecretBox(config.secretsKey);
  const store = await openStore({
    mongo: config,
    idempotency: { keepMs: config.idempotencyKeepSeconds * 1000, leaseMs: config.idempotencyLeaseSeconds * 1000 },
    transfers: { leaseMs: config.claimLeaseMs, settleDelayMs: SETTLE_DELAY_MS, log },
  });
  return { config, clock: store.clock, secrets, store };
}
