import type {
  RemindLinkRequest,
  RemindLinkResponse,
  StopRemindersRequest,
  StopRemindersResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { remindRefused } from '../domain/reminders.ts';
import { toLink } from './project-messages.ts';

export const remindLink =
  (context: Context) =>
  async ({ ownerId, projectId, linkId }: RemindLinkRequest): Promise<RemindLinkResponse> => {
    const { store, clock } = context;
    const project = await store.projects.find(ownerId, projectId);
    if (!project) throw noSuchProject();
    const key = { linkId, projectId };
    const link = await store.transaction(session =>
      store.reminders.remindOne(ownerId, key, () => clock.now(), session),
    );
    if (link === null) throw noSuchLink();
    if (typeof link === 'string') throw remindRefused(link);
    return { link: toLink(context, link, project, clock.now()) };
  };

export const stopReminders =
  ({ store }: Context) =>
  async ({ linkId, projectId }: StopRemindersRequest): Promise<StopRemindersResponse> => {
    if (!(await store.reminders.stop({ linkId, projectId }))) throw noSuchLink();
    return {};
  };
