import { beginResponse, getResponse, isTransient, Refusal, type Response } from './api.ts';
import { type Begun, newId, remember, remembered } from './device-memory.ts';
import { byId, pause, settings } from './page.ts';

const TRIES = 3;
const BETWEEN_MS = 800;

// Made here, once a visit, so that a second try of the same begin does not take a second use of the link.
let fresh: string | undefined;

let accepted = false;

/** Whether the contributor has accepted terms that this page showed: where it showed none, they accepted none. */
function termsAccepted(): boolean {
  const box = document.getElementById('terms') as HTMLInputElement | null;
  if (box) accepted = box.checked;
  return accepted;
}

export const termsMissing = (): boolean => settings.requireTerms && !termsAccepted();

/** Claims a use. Rejects with a Refusal, or with the network's error after a few tries. */
export async function begin(): Promise<Response> {
  const known = remembered();
  fresh ??= newId();
  const begun: Begun = known ?? { responseSessionId: fresh, termsAccepted: termsAccepted() };
  const consent = begun.termsAccepted || termsAccepted();
  for (let tries = 1; ; tries++) {
    try {
      const response = await beginResponse(begun.responseSessionId, consent);
      remember({ responseSessionId: response.responseSessionId, termsAccepted: consent });
      byId('terms-box')?.remove();
      return response;
    } catch (error) {
      const lost = !(error instanceof Refusal) || error.status >= 500;
      if (!lost || tries >= TRIES) throw error;
      await pause(BETWEEN_MS * tries);
    }
  }
}

/** Asks for a response until the server answers; undefined where it does not know it. */
export async function loadResponse(id: string, waiting: () => void): Promise<Response | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await getResponse(id);
    } catch (error) {
      if (!isTransient(error)) return undefined;
      waiting();
      await pause(Math.min(10_000, BETWEEN_MS * tries));
    }
  }
}
