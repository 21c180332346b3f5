import type { EraseOwnedLinkRequest, EraseOwnedLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { eraseLink, tallyLink } from '../workflows/erase-link.ts';

export const eraseOwnedLink =
  (context: Context) =>
  async ({ dryRun, ...key }: EraseOwnedLinkRequest): Promise<EraseOwnedLinkResponse> => ({
    counts: await (dryRun ? tallyLink : eraseLink)(context, key),
  });
