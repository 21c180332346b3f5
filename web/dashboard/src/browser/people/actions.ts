import { LIMITS } from '@recording-request/contract/limits';
import type { LinkActionName } from '@recording-request/contract/link-requests';
import type { LinkActionsJson } from '@recording-request/contract/resources/link-actions';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { write } from '../access.ts';
import { newKey } from './key.ts';
import { pause } from './pause.ts';

// Acts on the links of selected people, at most LIMITS.linkActions with one request.

const TRIES = 4;
const LIMIT_MS = 60_000;

export interface Outcome {
  action: LinkActionName;
  /** The links with `done`. */
  done: string[];
  /** How many links refused the action, by the sentence of the refusal. */
  refused: Map<string, number>;
}

/**
 * Acts on the links, in requests one after the other. Calls `onPart` after each with the number of links that have an
 * answer. Rejects when a request fails or the signal aborts; `outcome` then has the answers so far.
 */
export async function actOn(
  outcome: Outcome,
  ids: string[],
  signal: AbortSignal,
  onPart: (answered: number) => void,
): Promise<void> {
  for (let at = 0; at < ids.length; at += LIMITS.linkActions) {
    const part = ids.slice(at, at + LIMITS.linkActions);
    for (const { tokenId, done, error } of await send(outcome.action, part, signal)) {
      if (done) outcome.done.push(tokenId);
      else outcome.refused.set(error ?? '', (outcome.refused.get(error ?? '') ?? 0) + 1);
    }
    onPart(at + part.length);
  }
}

/** Sends one request. Its key lets it be sent again after a lost answer without a second reminder. */
async function send(
  action: LinkActionName,
  tokenIds: string[],
  signal: AbortSignal,
): Promise<LinkActionsJson['links']> {
  const more = { headers: { 'idempotency-key': newKey() }, signal, limitMs: LIMIT_MS };
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await write('POST', '/link-actions', { action, tokenIds }, more);
      return ((await answer.json()) as LinkActionsJson).links;
    } catch (error) {
      const isBusy = error instanceof Refusal && error.waitMs > 0;
      const isLost = !(error instanceof Refusal) && !signal.aborted && attempt === 1;
      if ((!isBusy && !isLost) || attempt === TRIES) throw error;
      if (isBusy) await pause(error.waitMs, signal);
    }
  }
}
