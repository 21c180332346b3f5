import type { EraseLinkRequest, EraseLinkResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { eraseLinkNow, submissionsOfLink, tallyLink } from '../../workflows/erasure/erase-link.ts';
import { recordsEndAt } from '../../workflows/erasure/kafka-retention.ts';

/** Does the same as an owner's erasure of a link. */
export const eraseLink =
  (context: Context) =>
  async ({ dryRun, ...link }: EraseLinkRequest): Promise<EraseLinkResponse> => {
    const { erasures, projects } = context;
    const before = await erasures.findProject(link.linkId);
    const submissionIds = await submissionsOfLink(context, link, before);
    const known = { submissionIds, erasedBeforeAt: before?.at, recordsEndAt: await recordsEndAt(context) };
    if (dryRun) {
      const { counts } = await projects.eraseOwnedLink({ ...link, dryRun });
      return { ...known, erased: await tallyLink(context, link, submissionIds), erasedOfProject: counts, done: true };
    }
    const { tally, ofProject, done } = await eraseLinkNow(context, link);
    return { ...known, erased: tally, erasedOfProject: ofProject, done };
  };
