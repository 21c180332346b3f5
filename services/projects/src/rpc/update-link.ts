import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { UpdateLinkRequest, UpdateLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type LinkUpdate, updateLink as update } from '../workflows/update-link.ts';
import { fromPerson } from './invitation-messages.ts';
import { toLink } from './project-messages.ts';

/** A disabled link accepts no new claims; responses that have begun may finish. */
export const updateLink =
  (context: Context) =>
  async (request: UpdateLinkRequest, { signal }: CallContext): Promise<UpdateLinkResponse> => {
    const { ownerId, projectId, linkId, disabled, remindersStopped } = request;
    const given = { ownerId, projectId, linkId, disabled, remindersStopped, invitation: changeOf(request) };
    const { project, link } = await update(context, given, signal);
    return { link: toLink(context, link, project, context.clock.now()) };
  };

function changeOf({ personChange, metadata, dueChange, timeFactor }: UpdateLinkRequest): LinkUpdate['invitation'] {
  const person = personChange?.$case === 'person' ? fromPerson(personChange.value) : null;
  const dueAt = dueChange?.$case === 'dueAt' ? dueChange.value : null;
  return {
    person: isSet(personChange) ? person : undefined,
    metadata: metadata?.metadata,
    dueAt: isSet(dueChange) ? dueAt : undefined,
    timeFactor: timeFactor === 0 ? null : timeFactor,
  };
}

/** A removal with the value false changes nothing. */
const isSet = (change: { value: unknown } | undefined): boolean => change !== undefined && change.value !== false;
