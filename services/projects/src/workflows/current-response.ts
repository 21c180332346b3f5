import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { noSuchResponse, type Response } from '../domain/response.ts';

/** The response once no change of its use is under way. Fails with `not_found` where there is none. */
export async function settledResponse({ store }: Pick<Context, 'store'>, id: string): Promise<Response> {
  const response = await store.transfers.settled(id);
  if (!response) throw noSuchResponse();
  return response;
}

/** The response, waiting only while its claim is not decided. Fails with `not_found` where there is none. */
export async function decidedResponse(context: Pick<Context, 'store'>, id: string): Promise<Response> {
  const response = await context.store.responses.find(id);
  if (!response) throw noSuchResponse();
  return response.use === 'claiming' ? await settledResponse(context, id) : response;
}

const TRIES = 8;

/**
 * Tries again while `attempt` returns null, as it does when the response changed between its read and its conditional
 * write. Fails with `unavailable` where that never ends.
 */
export async function whileChanging<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new DomainError('unavailable', 'This response is busy: try again in a moment.');
}
