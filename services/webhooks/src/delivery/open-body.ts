import type { Logger } from '@recording-request/kit/log';
import { keyIdOf, type SecretBox } from '@recording-request/kit/secret-box';
import type { Clock } from '@recording-request/kit-mongo/clock';
import type { Config } from '../config.ts';
import { type ClaimedDelivery, idsOf } from '../domain/delivery.ts';
import { retryDelayMs } from '../domain/schedule.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { Store } from '../store/store.ts';

// The owner reads these sentences in the list of deliveries.
const LOST = 'not sent: the operator has lost the key that decrypts this event';
const MISSING = 'not sent: this event cannot be decrypted until the operator restores its key';

interface OpenDeps {
  config: Pick<Config, 'secretsKeysLost' | 'retryScheduleSec'>;
  log: Logger;
  secrets: SecretBox;
  clock: Clock;
  store: Pick<Store, 'queue'>;
}

/**
 * Returns the body of a claimed delivery. If no key opens it, records an attempt with this reason and returns
 * undefined. Then the delivery fails if SECRETS_KEYS_LOST names its key; otherwise it is retried, because the operator
 * may still restore the key. This does not count against the endpoint.
 */
export async function openBody(
  { config, log, secrets, clock, store }: OpenDeps,
  delivery: ClaimedDelivery,
): Promise<Buffer | undefined> {
  const { id, sealedBody, step } = delivery;
  try {
    return secrets.open(sealedBody, sealedFor.delivery(id));
  } catch {
    const keyId = keyIdOf(sealedBody);
    const isLost = config.secretsKeysLost.includes(keyId);
    const now = clock.now();
    const waitMs = retryDelayMs(step, { scheduleSec: config.retryScheduleSec });
    log.warn(
      { ...idsOf(delivery), keyId, isLost },
      'No key of SECRETS_KEY opens the body of a delivery; it is not sent',
    );
    await store.queue.failed(
      delivery,
      { at: now, statusCode: 0, error: isLost ? LOST : MISSING, durationMs: 0 },
      isLost ? { state: 'failed' } : { state: 'pending', nextAt: new Date(now.getTime() + waitMs) },
    );
    return undefined;
  }
}
