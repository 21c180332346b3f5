import type { RenewResponseRequest, RenewResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import type { ResponseDocument } from '../store/schemas.ts';
import { bytesHold, keyOf, reclaim, settledResponse, TRIES, tooBusy } from '../workflows/claim-use.ts';
import { toResponse } from './response-messages.ts';

/** Bytes are arriving: the hold lasts from now, and a use that was given back is claimed again, past the expiry too. */
export const renewResponse =
  (context: Context) =>
  async ({ linkId, responseSessionId }: RenewResponseRequest): Promise<RenewResponseResponse> => {
    const response = await withUse(context, keyOf(linkId, responseSessionId));
    return { response: await toResponse(context, response) };
  };

/**
 * The response with a use that is held or final, held from now. DomainError `not_found`; `gone` or `conflict` where a
 * use that was given back cannot be claimed again.
 */
export async function withUse(context: Context, id: string): Promise<ResponseDocument> {
  for (let tries = 0; tries < TRIES; tries++) {
    const now = new Date();
    const hold = bytesHold(context, now);
    const prolonged = await context.store.responses.prolong(id, hold.heldUntil);
    if (prolonged) return prolonged;
    const response = await settledResponse(context, id);
    if (response.use !== 'released') continue;
    const reclaimed = await reclaim(context, response, hold, now);
    if (reclaimed) return reclaimed;
  }
  throw tooBusy();
}
