import { completeSettings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { type CreateProjectRequest, CreateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type CreatedProject, createProject as create } from '../workflows/create-project.ts';
import type { ProjectOrder } from '../workflows/new-project.ts';
import { toUser } from './account-messages.ts';
import { fromInvitation } from './invitation-messages.ts';
import { makeCursor } from './list-links.ts';
import { parseRepeat } from './parse.ts';
import { toLinkWith, toProject } from './project-messages.ts';

export const createProject =
  (context: Context) =>
  async (request: CreateProjectRequest, call: CallContext): Promise<CreateProjectResponse> => {
    const now = context.clock.now();
    const creation = {
      order: orderOf(request),
      repeat: parseRepeat(request),
      format: {
        make: (created: CreatedProject) => answerOf(created, now),
        encode: (answer: CreateProjectResponse) => CreateProjectResponse.encode(answer).finish(),
        decode: (bytes: Uint8Array) => ({ ...CreateProjectResponse.decode(bytes), replayed: true }),
      },
      now,
    };
    return await withSlot(context.creations, request.ownerId, call.signal, () => create(context, creation, call));
  };

function orderOf(request: CreateProjectRequest): ProjectOrder {
  const { ownerId, settings, count, webhookSecret, expiresInSeconds, retentionDays = 0 } = request;
  const invitations = (request.invitations?.invitations ?? []).map(fromInvitation);
  if (!settings) throw new DomainError('invalid', 'projectName must not be empty.');
  return {
    ownerId,
    settings: completeSettings(settings),
    count,
    webhookSecret,
    expiresInSeconds,
    retentionDays,
    invitations,
  };
}

function answerOf(created: CreatedProject, now: Date): CreateProjectResponse {
  const { project, shared, first, count } = created;
  const sharedUses = shared?.link.maxUses ?? 0;
  const sums = {
    unique: { links: count, capacity: count, used: 0, open: count },
    shared: { links: shared ? 1 : 0, capacity: sharedUses, used: 0, open: sharedUses },
  };
  return {
    project: toProject(project, sums, now),
    projectToken: created.projectToken,
    sharedLink: shared && toLinkWith(shared, shared.link, project, now),
    uniqueLinks: first.map(minted => toLinkWith(minted, minted.link, project, now)),
    linksCursor: first.length < count ? makeCursor(first.at(-1)!.link.position) : undefined,
    user: toUser(created.user),
    reservedVideoCount: created.reserves,
    replayed: false,
  };
}
