import { DomainError } from '@recording-request/kit/errors';
import type {
  RemindLinkRequest,
  RemindLinkResponse,
  StopRemindersRequest,
  StopRemindersResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { toLink } from './project-messages.ts';

export const remindLink =
  (context: Context) =>
  async ({ ownerId, projectId, linkId }: RemindLinkRequest): Promise<RemindLinkResponse> => {
    const { store, clock } = context;
    const project = await store.projects.find(ownerId, projectId);
    if (!project) throw noSuchProject();
    const link = await store.reminders.remindOne(ownerId, { linkId, projectId }, clock.now());
    if (link === null) throw noSuchLink();
    if (link === false)
      throw new DomainError(
        'conflict',
        'Nobody can be reminded by this link: it is the shared link, is disabled, has expired, has a clip, or its person stopped the reminders.',
      );
    return { link: toLink(context, link, project, clock.now()) };
  };

export const stopReminders =
  ({ store }: Context) =>
  async ({ linkId, projectId }: StopRemindersRequest): Promise<StopRemindersResponse> => {
    if (!(await store.reminders.stop({ linkId, projectId }))) throw noSuchLink();
    return {};
  };
