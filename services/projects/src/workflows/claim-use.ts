import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { type Context, inSeconds, noSuchResponse } from '../context.ts';
import { type ClaimRefusal, claimRefusal, type Link } from '../domain/link.ts';
import { responseKey } from '../domain/response.ts';
import type { ResponseChange } from '../store/responses.ts';
import type { ResponseDocument } from '../store/schemas.ts';

const REFUSALS: Record<ClaimRefusal, [code: 'gone' | 'conflict', sentence: string]> = {
  disabled: ['gone', 'This recording link was disabled.'],
  exhausted: ['gone', 'This recording link is used up: every response that it takes has been sent.'],
  expired: ['gone', 'This recording link has expired.'],
  busy: ['conflict', 'Every use of this recording link is taken at the moment: try again later.'],
};

export function refused(refusal: ClaimRefusal): DomainError {
  const [code, sentence] = REFUSALS[refusal];
  return new DomainError(code, sentence);
}

/** Answers early where a use can evidently not be claimed; the claim itself decides. null expiry: past it too. */
export function refuseEarly(link: Link, expiresAt: Date | null, now: Date): void {
  const refusal = claimRefusal(link, expiresAt, now);
  if (refusal) throw refused(refusal);
}

/** Applies the claim that the response carries. DomainError `gone` or `conflict` where the link has no use for it. */
export async function claim({ store }: Context, response: ResponseDocument): Promise<ResponseDocument> {
  const outcome = await store.transfers.execute(response);
  if (outcome === 'applied') return { ...response, use: 'held' };
  if (outcome === 'lease_lost') {
    throw new DomainError('unavailable', 'The service is slow at the moment: try again in a moment.');
  }
  const link = await store.links.find(response.linkId);
  // A use that was given back in this very moment leaves no reason: the next try will have it.
  throw refused((link && claimRefusal(link, null, new Date())) ?? 'busy');
}

/**
 * Claims a use again for a response that gave its own back. null where the response changed meanwhile: look again.
 * Does not look at the expiry.
 */
export async function reclaim(
  context: Context,
  response: ResponseDocument,
  change: ResponseChange,
  now: Date,
): Promise<ResponseDocument | null> {
  const { store } = context;
  const expected = { use: 'released', answers: response.answers.length } as const;
  const transfer = store.transfers.make('reclaim', now);
  const begun = await store.responses.beginTransfer(response._id, expected, { ...change, use: 'claiming' }, transfer);
  return begun && (await claim(context, begun));
}

/** What a response that has just been claimed without any byte is set to. */
export function emptyHold({ config }: Context, now: Date): Required<Pick<ResponseChange, 'hasBytes' | 'heldUntil'>> {
  return { hasBytes: false, heldUntil: inSeconds(now, config.claimEmptyHoldSeconds) };
}

/** What a response whose bytes are arriving is set to. */
export function bytesHold({ config }: Context, now: Date): Required<Pick<ResponseChange, 'hasBytes' | 'heldUntil'>> {
  return { hasBytes: true, heldUntil: inSeconds(now, config.claimHoldSeconds) };
}

/** The response once no change of its use is under way. DomainError `not_found` where there is none. */
export async function settledResponse({ store }: Context, id: string): Promise<ResponseDocument> {
  const response = await store.transfers.settled(id);
  if (!response) throw noSuchResponse();
  return response;
}

/** The response, waiting only while its claim is not decided. DomainError `not_found` where there is none. */
export async function decidedResponse(context: Context, id: string): Promise<ResponseDocument> {
  const response = await context.store.responses.find(id);
  if (!response) throw noSuchResponse();
  return response.use === 'claiming' ? await settledResponse(context, id) : response;
}

/** The key of a response; DomainError `invalid` for a session id that is no UUID. */
export function keyOf(linkId: string, sessionId: string): string {
  return responseKey(linkId, checkedSession(sessionId));
}

export function checkedSession(sessionId: string): string {
  if (!isUuid(sessionId)) throw new DomainError('invalid', 'responseSessionId must be a UUID.');
  return sessionId.toLowerCase();
}

/** How often an RPC looks again when the response changed between its read and its conditional write. */
export const TRIES = 8;

export const tooBusy = () => new DomainError('unavailable', 'This response is busy: try again in a moment.');
