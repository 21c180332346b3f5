import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { noSuchResponse, type Response } from '../domain/response.ts';

/** Returns the response when its use is not being changed. Fails with `not_found`. */
export async function settledResponse({ store }: Pick<Context, 'store'>, id: string): Promise<Response> {
  const response = await store.transfers.settled(id);
  if (!response) throw noSuchResponse();
  return response;
}

/** Returns the response. Waits only while its claim is undecided. Fails with `not_found`. */
export async function decidedResponse(context: Pick<Context, 'store'>, id: string): Promise<Response> {
  const response = await context.store.responses.find(id);
  if (!response) throw noSuchResponse();
  return response.use === 'claiming' ? await settledResponse(context, id) : response;
}

const TRIES = 8;

/**
 * Calls `attempt` again while it returns null, which means that the response changed between the read and the
 * conditional write. Fails with `unavailable` after too many tries.
 */
export async function whileChanging<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new DomainError('unavailable', 'This response is busy: try again in a moment.');
}
