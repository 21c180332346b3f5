import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { ConfigError } from '@recording-request/kit/config';
import { isMissing } from '@recording-request/kit-objects/objects';
import { NotDone } from '../run-erase.ts';

const TRIES = 4;
const PAUSE_MS = 500;
const PAUSE_MAX_MS = 10_000;

/** Repeats work that fails because of a temporary fault of the store or of the network. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      const isLasting = error instanceof NotDone || error instanceof ConfigError || isMissing(error);
      if (isLasting || attempt + 1 >= TRIES) throw error;
      await delay(backoffMs(attempt, PAUSE_MS, PAUSE_MAX_MS));
    }
}
