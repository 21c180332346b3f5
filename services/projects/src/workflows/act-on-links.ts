import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { linkErased, noSuchLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { remindRefused } from '../domain/reminders.ts';
import { linkClosed } from '../messages.ts';
import type { ClientSession } from '../store/transaction.ts';
import { answerOnce, type Repeatable } from './answer-once.ts';

export type Action = 'remind' | 'disable' | 'enable';

export interface ActionResult {
  linkId: string;
  /** Undefined if the action was done, or was done before. */
  refusal?: { reason: string; message: string };
}

interface Acting<T> extends Omit<Repeatable<ActionResult[], T>, 'lost'> {
  projectId: string;
  action: Action;
  linkIds: string[];
}

/**
 * Does one action on several links, in one transaction: a repetition with the same key finds all or nothing. Fails with
 * `not_found` for an unknown project. A refused link does not stop the others.
 */
export async function actOnLinks<T>(context: Context, acting: Acting<T>, call: CallContext): Promise<T> {
  const { store } = context;
  const { ownerId, projectId, format } = acting;
  return await answerOnce(context, { ...acting, lost: lostAnswer }, call, async ({ session, signal, remember }) => {
    const work = async () => {
      if (!(await store.projects.find(ownerId, projectId))) throw noSuchProject();
      const refusals = await act(context, acting, session);
      const results = acting.linkIds.map(linkId => {
        const refusal = refusals.get(linkId);
        return refusal
          ? { linkId, refusal: { reason: refusal.reason ?? refusal.code, message: refusal.message } }
          : { linkId };
      });
      const answer = format.make(results);
      await remember(answer, projectId);
      return { answer, remembered: true };
    };
    return await store.transact(session, work, { signal });
  });
}

type Refusals = Map<string, DomainError>;

async function act<T>(
  { store, clock }: Context,
  { ownerId, projectId, action, linkIds }: Acting<T>,
  session: ClientSession,
): Promise<Refusals> {
  const refusals: Refusals = new Map(linkIds.map(linkId => [linkId, noSuchLink()]));
  if (action === 'remind') {
    const results = await store.reminders.remindNow(ownerId, projectId, linkIds, () => clock.now(), session);
    for (const [linkId, result] of results) {
      if (typeof result === 'string') refusals.set(linkId, remindRefused(result));
      else refusals.delete(linkId);
    }
    return refusals;
  }
  const change = { ownerId, projectId, linkIds, disabled: action === 'disable' };
  for (const { _id, erasedAt } of await store.links.setDisabled(change, linkClosed, session)) {
    if (erasedAt) refusals.set(_id, linkErased());
    else refusals.delete(_id);
  }
  return refusals;
}

// Does not use `conflict`: clients retry conflicts, but this result is permanently lost.
const lostAnswer = () =>
  new DomainError(
    'unprocessable',
    'This Idempotency-Key did its action, and the first answer cannot be shown any more: list the links.',
  );
