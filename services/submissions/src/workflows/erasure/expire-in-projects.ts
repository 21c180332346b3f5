import { isOutage } from '@recording-request/kit/outage';
import { withLease } from '@recording-request/kit-mongo/lease';
import type { Retention } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import { type EraseContext, eraseEach } from './erase-submission.ts';

// One turn erases at most this many clips and reads at most PAGES pages of projects. The next turn continues after
// them, so that projects with many old clips delay the others only by a few turns.
const CLIPS = 200;
const PAGES = 25;
const PAGE = 40;
const SHARE = CLIPS / PAGE;
const DAY_MS = 86_400_000;

type ExpiryContext = EraseContext & Pick<Context, 'projectRetention'>;

/**
 * Erases submissions that are older than the retention of their project, in one process at a time. Each turn reads the
 * retention, so a changed retention also applies to clips that have already landed.
 */
export async function expireInProjects(context: ExpiryContext): Promise<void> {
  const { projects, projectRetention } = context;
  await withLease(projectRetention.lease, async () => {
    for (let page = 0, erased = 0; page < PAGES && erased < CLIPS; page++) {
      if (!(await projectRetention.lease.hold())) return;
      const { retentions } = await projects.listRetentions({ afterProjectId: projectRetention.after, pageSize: PAGE });
      erased += await expirePage(context, retentions, CLIPS - erased);
      const isLast = retentions.length < PAGE;
      projectRetention.after = isLast ? '' : retentions.at(-1)!.projectId;
      if (isLast) return;
    }
  });
}

/** Erases at most `limit` clips; the projects take turns. */
async function expirePage(context: ExpiryContext, page: Retention[], limit: number): Promise<number> {
  let erased = 0;
  let waiting = page;
  while (waiting.length > 0 && erased < limit) {
    const rest: Retention[] = [];
    for (const retention of waiting) {
      const count = await expireSome(context, retention, Math.min(SHARE, limit - erased));
      erased += count;
      if (count === SHARE) rest.push(retention);
      if (erased >= limit) break;
    }
    waiting = rest;
  }
  return erased;
}

async function expireSome(
  context: ExpiryContext,
  { projectId, ownerId, days }: Retention,
  limit: number,
): Promise<number> {
  const { log, erasures } = context;
  const old = await erasures.olderThanIn({ projectId, ownerId }, days * DAY_MS, limit);
  if (old.length === 0) return 0;
  try {
    log.info(
      { projectId, retentionDays: days, ...(await eraseEach(context, old)) },
      'Submissions past the retention of their project were erased',
    );
  } catch (error) {
    if (isOutage(error)) throw error;
    // The records are already tombstones, so a later turn removes the rest.
    log.warn({ err: error, projectId }, 'Some submissions past their retention are not erased completely yet');
  }
  return old.length;
}
