import { SETTING_DEFAULTS, type SettingName } from '@recording-request/contract/project-settings';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { UpdateProjectRequest, UpdateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type ProjectUpdate, updateProject as update } from '../workflows/update-project.ts';
import { toProject } from './project-messages.ts';

export const updateProject =
  (context: Context) =>
  async (request: UpdateProjectRequest, call: CallContext): Promise<UpdateProjectResponse> => {
    const { ownerId, projectId, webhookSecret, retentionDays } = request;
    const { values = SETTING_DEFAULTS, names = [] } = request.settings ?? {};
    const settings = Object.fromEntries(names.map(name => [name, values[name as SettingName]]));
    const given = { ownerId, projectId, settings, expiry: expiryOf(request), webhookSecret, retentionDays };
    const project = await update(context, given, call.signal);
    const sums = await context.store.links.sums(ownerId, [projectId]);
    return { project: toProject(project, sums.get(projectId), context.clock.now()) };
  };

function expiryOf({ expiry }: UpdateProjectRequest): ProjectUpdate['expiry'] {
  if (expiry?.$case !== 'neverExpire') return expiry?.value;
  return expiry.value ? 'never' : 'default';
}
