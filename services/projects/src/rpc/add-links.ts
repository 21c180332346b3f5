import { createHash } from 'node:crypto';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { type AddLinksRequest, AddLinksResponse, OnDuplicate } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type AddedLinks, type Addition, addLinks as add } from '../workflows/add-links.ts';
import { fromInvitation } from './invitation-messages.ts';
import { makeCursor } from './list-links.ts';
import { parseRepeat } from './parse.ts';
import { toLinkWith } from './project-messages.ts';

export const addLinks =
  (context: Context) =>
  async (request: AddLinksRequest, call: CallContext): Promise<AddLinksResponse> => {
    const { ownerId, projectId, onDuplicate, dryRun } = request;
    const addition: Addition<AddLinksResponse> = {
      ...{ ownerId, projectId, dryRun },
      invitations: request.invitations.map(fromInvitation),
      skipsDuplicates: onDuplicate === OnDuplicate.ON_DUPLICATE_SKIP,
      repeat: repeatOf(request),
      format: {
        make: added => answerOf(added, context.clock.now()),
        encode: answer => AddLinksResponse.encode(answer).finish(),
        decode: bytes => ({ ...AddLinksResponse.decode(bytes), replayed: true }),
      },
    };
    return await withSlot(context.creations, ownerId, call.signal, () => add(context, addition, call));
  };

/** A request with the same rows for a different project, or a creation with the same key, is not a repetition. */
function repeatOf(request: AddLinksRequest) {
  const repeat = parseRepeat(request);
  if (!repeat) return undefined;
  const hash = createHash('sha256').update(`AddLinks ${request.projectId}\n`).update(repeat.bodyHash);
  return { ...repeat, bodyHash: hash.digest() };
}

function answerOf({ project, created, first, duplicates, remaining }: AddedLinks, now: Date): AddLinksResponse {
  return {
    links: first.map(minted => toLinkWith(minted, minted.link, project, now)),
    linksCursor: first.length < created ? makeCursor(first.at(-1)!.link.position) : undefined,
    created,
    duplicates,
    allowanceAfter: remaining === null ? undefined : Math.max(0, remaining),
    replayed: false,
    allowanceMissing: remaining !== null && remaining < 0 ? -remaining : undefined,
  };
}
