import type {
  GetLogoRequest,
  GetLogoResponse,
  SetLogoRequest,
  SetLogoResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { checkedLogo, noLogo } from '../domain/logo.ts';
import { noSuchProject } from '../domain/project.ts';
import { projectUpdated } from '../messages.ts';
import { toProject } from './project-messages.ts';

export const setLogo =
  ({ store, clock }: Context) =>
  async ({ ownerId, projectId, image }: SetLogoRequest): Promise<SetLogoResponse> => {
    const owned = { _id: projectId, ownerId };
    const logo = image.length > 0 ? checkedLogo(Buffer.from(image)) : null;
    const project = await store.logos.set(owned, logo, projectUpdated(owned, ['brand']));
    if (!project) throw noSuchProject();
    const sums = await store.links.sums(ownerId, [projectId]);
    return { project: toProject(project, sums.get(projectId), clock.now()) };
  };

export const getLogo =
  ({ store }: Context) =>
  async ({ ownerId, projectId }: GetLogoRequest): Promise<GetLogoResponse> => {
    const logo = await store.logos.find(ownerId, projectId);
    if (!logo) throw noLogo();
    return logo;
  };
