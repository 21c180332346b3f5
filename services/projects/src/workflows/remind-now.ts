import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { type Link, noSuchLink } from '../domain/link.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { remindRefused } from '../domain/reminders.ts';
import type { LinkKey } from '../store/links.ts';
import { answerOnce, type Repeatable } from './answer-once.ts';

interface Reminding<T> extends Omit<Repeatable<{ link: Link; project: Project }, T>, 'lost'> {
  key: LinkKey;
}

/**
 * Adds one event about a person who has sent nothing. Fails with `unprocessable` for any other person, and with
 * `too_many` if the last reminder is recent.
 */
export async function remindNow<T>(context: Context, reminding: Reminding<T>, call: CallContext): Promise<T> {
  const { store, clock } = context;
  const { ownerId, key, format } = reminding;
  return await answerOnce(context, { ...reminding, lost: lostAnswer }, call, async ({ session, signal, remember }) => {
    const work = async () => {
      const project = await store.projects.find(ownerId, key.projectId);
      if (!project) throw noSuchProject();
      const { linkId, projectId } = key;
      const reminded = await store.reminders.remindNow(ownerId, projectId, [linkId], () => clock.now(), session);
      const link = reminded.get(linkId);
      if (link === undefined) throw noSuchLink();
      if (typeof link === 'string') throw remindRefused(link);
      const answer = format.make({ link, project });
      await remember(answer, key.projectId);
      return { answer, remembered: true };
    };
    return await store.transact(session, work, { signal });
  });
}

// Does not use `conflict`: clients retry conflicts, but this result is permanently lost.
const lostAnswer = () =>
  new DomainError(
    'unprocessable',
    'This Idempotency-Key sent a reminder, and the first answer cannot be shown any more: get the link.',
  );
