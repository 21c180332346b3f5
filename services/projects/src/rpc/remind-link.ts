import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import {
  type RemindLinkRequest,
  RemindLinkResponse,
  type StopRemindersRequest,
  type StopRemindersResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type Link, noSuchLink } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { remindNow } from '../workflows/remind-now.ts';
import { parseRepeat } from './parse.ts';
import { toLink } from './project-messages.ts';

export const remindLink =
  (context: Context) =>
  async (request: RemindLinkRequest, call: CallContext): Promise<RemindLinkResponse> => {
    const { ownerId, projectId, linkId } = request;
    const format = {
      make: ({ link, project }: { link: Link; project: Project }): RemindLinkResponse => ({
        link: toLink(context, link, project, context.clock.now()),
        replayed: false,
      }),
      encode: (answer: RemindLinkResponse) => RemindLinkResponse.encode(answer).finish(),
      decode: (bytes: Uint8Array) => ({ ...RemindLinkResponse.decode(bytes), replayed: true }),
    };
    const reminding = { ownerId, key: { projectId, linkId }, repeat: parseRepeat(request), format };
    return await remindNow(context, reminding, call);
  };

/** Also accepts a link that takes no responses now, because its owner may open it again. */
export const stopReminders =
  ({ store }: Context) =>
  async ({ linkId, projectId }: StopRemindersRequest): Promise<StopRemindersResponse> => {
    if (!(await store.reminders.stop({ linkId, projectId }))) throw noSuchLink();
    return {};
  };
