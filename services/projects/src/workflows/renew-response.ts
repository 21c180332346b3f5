import type { Context } from '../context.ts';
import type { Response } from '../domain/response.ts';
import { bytesHold, reclaim } from './claim-use.ts';
import { settledResponse, whileChanging } from './current-response.ts';

/**
 * Bytes are arriving: returns the response with a held or final use, held from now. Claims a released use again, even after
 * the expiry. Fails with `not_found`, and with `gone` or `conflict` if it cannot be claimed.
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
