import type { Context } from '../context.ts';
import type { Response } from '../domain/response.ts';
import { bytesHold, reclaim } from './claim-use.ts';
import { settledResponse, whileChanging } from './current-response.ts';

/**
 * Call this while bytes arrive. Extends a held or final use from now, and claims a released use again, even after the
 * expiry. Returns the response. Fails with `not_found`, and with `gone` or `conflict` if no use can be claimed.
 */
export async function renewResponse(
  context: Pick<Context, 'config' | 'store' | 'clock'>,
  id: string,
): Promise<Response> {
  return await whileChanging(async () => {
    const now = context.clock.now();
    const hold = bytesHold(context, now);
    const prolonged = await context.store.responses.prolong(id, hold.heldUntil);
    if (prolonged) return prolonged;
    const response = await settledResponse(context, id);
    return response.use === 'released' ? await reclaim(context, response, hold, now) : null;
  });
}
