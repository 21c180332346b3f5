import { Refusal } from '@recording-request/web-shared/browser/requests';
import type { RecorderSettings } from '../../settings.ts';
import type { Response } from '../state/state.ts';
import { beginResponse, getResponse, isTransient } from './api.ts';
import { forget, newId, remember, remembered } from './device-memory.ts';
import { linkOf } from './link.ts';

const TRIES = 3;
const BETWEEN_MS = 800;
const LONGEST_WAIT_MS = 10_000;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

export interface Begin {
  /** Claims a use. Rejects with a Refusal, or with the network's error after a few attempts. */
  claim(termsAccepted: boolean): Promise<Response>;
  /** Makes the next claim start another response. */
  forgetResponse(): void;
}

export function createBegin(settings: Pick<RecorderSettings, 'reference'>): Begin {
  const link = linkOf(settings);
  // One id per response, so that a retry does not claim a second use of the link.
  let fresh = newId();
  const claim = async (termsAccepted: boolean) => {
    const known = remembered(link);
    const consent = known?.termsAccepted || termsAccepted;
    for (let tries = 1; ; tries++) {
      try {
        const response = await beginResponse(known?.responseSessionId ?? fresh, consent, settings.reference);
        remember(link, { responseSessionId: response.responseSessionId, termsAccepted: consent });
        return response;
      } catch (error) {
        const lost = !(error instanceof Refusal) || error.status >= 500;
        if (!lost || tries >= TRIES) throw error;
        await pause(BETWEEN_MS * tries);
      }
    }
  };
  const forgetResponse = () => {
    fresh = newId();
    forget(link);
  };
  return { claim, forgetResponse };
}

/**
 * Loads a response, and retries until the server answers. Resolves to undefined when the server does not know the
 * response.
 */
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
