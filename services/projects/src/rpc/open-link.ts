import type { OpenLinkRequest, OpenLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';

export const openLink =
  ({ store, clock }: Context) =>
  async (request: OpenLinkRequest): Promise<OpenLinkResponse> => {
    if (!(await store.links.setOpened(request, clock.now()))) throw noSuchLink();
    return {};
  };
