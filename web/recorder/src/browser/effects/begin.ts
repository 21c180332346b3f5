import { Refusal } from '@recording-request/web-shared/browser/requests';
import type { Response } from '../state/state.ts';
import { beginResponse, getResponse, isTransient } from './api.ts';
import { newId, remember, remembered } from './device-memory.ts';

const TRIES = 3;
const BETWEEN_MS = 800;
const LONGEST_WAIT_MS = 10_000;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Makes what claims a use: it rejects with a Refusal, or with the network's error after a few tries. */
export function createBegin(): (termsAccepted: boolean) => Promise<Response> {
  // Made once a visit, so that a second try of the same begin does not take a second use of the link.
  const fresh = newId();
  return async termsAccepted => {
    const known = remembered();
    const consent = known?.termsAccepted || termsAccepted;
    for (let tries = 1; ; tries++) {
      try {
        const response = await beginResponse(known?.responseSessionId ?? fresh, consent);
        remember({ responseSessionId: response.responseSessionId, termsAccepted: consent });
        return response;
      } catch (error) {
        const lost = !(error instanceof Refusal) || error.status >= 500;
        if (!lost || tries >= TRIES) throw error;
        await pause(BETWEEN_MS * tries);
      }
    }
  };
}

/** Asks for a response until the server answers; undefined where it does not know it. */
export async function loadResponse(id: string, waiting: () => void): Promise<Response | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await getResponse(id);
    } catch (error) {
      if (!isTransient(error)) return undefined;
      waiting();
      await pause(Math.min(LONGEST_WAIT_MS, BETWEEN_MS * tries));
    }
  }
}
