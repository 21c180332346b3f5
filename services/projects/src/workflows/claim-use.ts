import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { claimRefusal, claimRefused, type Link, NO_END, type Term } from '../domain/link.ts';
import type { Response } from '../domain/response.ts';
import { inSeconds } from '../domain/time.ts';
import type { ResponseChange } from '../store/responses.ts';

type Hold = Pick<Response, 'hasBytes' | 'heldUntil'>;

/** Fails early if the link certainly has no use to claim; otherwise, the claim itself decides. */
export function refuseEarly(link: Link, term: Term, now: Date): void {
  const refusal = claimRefusal(link, term, now);
  if (refusal) throw claimRefused(refusal);
}

/** Applies the response's claim. Fails with `gone` or `conflict` if the link has no use for it. */
export async function claim({ store, clock }: Pick<Context, 'store' | 'clock'>, response: Response): Promise<Response> {
  const outcome = await store.transfers.execute(response);
  if (outcome === 'applied') return { ...response, use: 'held' };
  if (outcome === 'lease_lost') {
    throw new DomainError('unavailable', 'The service is slow at the moment: try again in a moment.');
  }
  const link = await store.links.find(response);
  // If another response has just released a use, no refusal applies any more; a retry gets that use.
  throw claimRefused((link && claimRefusal(link, NO_END, clock.now())) ?? 'busy');
}

/**
 * Claims a use again, even after the expiry, for a response that released its use. Returns null if the response has
 * changed since the read; then retry.
 */
export async function reclaim(
  context: Pick<Context, 'store' | 'clock'>,
  response: Response,
  change: ResponseChange,
  now: Date,
): Promise<Response | null> {
  const { store } = context;
  const expected = { use: 'released', answers: response.answers.length } as const;
  const transfer = store.transfers.make('reclaim', now);
  const begun = await store.responses.beginTransfer(response._id, expected, { ...change, use: 'claiming' }, transfer);
  return begun && (await claim(context, begun));
}

/** Returns the end of the hold for a response that has just claimed its use and has no byte yet. */
export function emptyHold({ config }: Pick<Context, 'config'>, now: Date): Hold {
  return { hasBytes: false, heldUntil: inSeconds(now, config.claimEmptyHoldSeconds) };
}

/** Returns the end of the hold for a response whose bytes are arriving. */
export function bytesHold({ config }: Pick<Context, 'config'>, now: Date): Hold {
  return { hasBytes: true, heldUntil: inSeconds(now, config.claimHoldSeconds) };
}
