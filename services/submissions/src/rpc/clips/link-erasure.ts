import type {
  BeginLinkErasureRequest,
  BeginLinkErasureResponse,
  GetLinkErasureRequest,
  GetLinkErasureResponse,
  LinkErasure,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { NOTHING } from '../../domain/erasure.ts';
import type { ErasedProject } from '../../store/erasures.ts';
import {
  beginLinkErasure as begin,
  findLinkErasure,
  linkOf,
  submissionsOfLink,
  tallyLink,
} from '../../workflows/erasure/erase-link.ts';
import { NOTHING_OF_PROJECT } from './own-erasure.ts';

export const beginLinkErasure =
  (context: Context) =>
  async (request: BeginLinkErasureRequest): Promise<BeginLinkErasureResponse> => ({
    erasure: await toErasure(context, await begin(context, request)),
  });

export const getLinkErasure =
  (context: Context) =>
  async (request: GetLinkErasureRequest): Promise<GetLinkErasureResponse> => {
    const found = await findLinkErasure(context, request);
    if (found) return { erasure: await toErasure(context, found), would: undefined, submissionIds: [] };
    const submissionIds = await submissionsOfLink(context, request, undefined);
    return { erasure: undefined, would: await tallyLink(context, request, submissionIds), submissionIds };
  };

async function toErasure(context: Context, erasure: ErasedProject): Promise<LinkErasure> {
  const link = linkOf(erasure);
  const { doneAt, recordsEndAt, removed, removedOfProject } = erasure.owned!;
  const submissionIds = await submissionsOfLink(context, link, erasure);
  const counted = doneAt && (await context.projects.eraseOwnedLink({ ...link, dryRun: true }));
  return {
    ...{ begunAt: erasure.at, doneAt, recordsEndAt, submissionIds },
    erased: { ...NOTHING, ...removed },
    erasedOfProject: { ...NOTHING_OF_PROJECT, ...removedOfProject },
    left: doneAt && (await tallyLink(context, link, submissionIds)),
    leftOfProject: counted?.counts,
  };
}
