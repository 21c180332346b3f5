import type { Logger } from '@recording-request/kit/log';
import type { Sending } from '../domain/sending.ts';
import type { SendingStore } from '../store/sending.ts';

/** Whether this system sends webhooks, as this process last read it. */
export interface SendingState {
  current(): Sending;
  /** Reads the state again, and logs a change. */
  refresh(): Promise<void>;
}

/** Reads the state once before it returns, so that a new process sends nothing while deliveries are paused. */
export async function openSending(store: SendingStore, log: Logger): Promise<SendingState> {
  let state: Sending = { isPaused: false, since: new Date(0) };
  const refresh = async () => {
    const found = await store.get();
    const wasPaused = state.isPaused;
    state = found;
    if (found.isPaused && !wasPaused)
      log.warn({ since: found.since }, 'Webhooks are paused: events wait until "npm run admin -- webhooks resume"');
    if (wasPaused && !found.isPaused) log.info('Webhooks are sent again');
  };
  await refresh();
  return { current: () => state, refresh };
}
