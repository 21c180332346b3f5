import { type Lease, withLease } from '@recording-request/kit-mongo/lease';
import { type EraseContext, eraseEach } from './erase-submission.ts';

const BATCH = 20;
const BATCHES_PER_TURN = 10;
const DAY_MS = 86_400_000;

/** Erases submissions older than RETENTION_DAYS: at most 200 per turn, in one process at a time. */
export async function expireSubmissions(context: EraseContext & { retentionLease: Lease }): Promise<void> {
  const { config, log, erasures, retentionLease } = context;
  const { retentionDays } = config;
  if (retentionDays === 0) return;
  const ageMs = retentionDays * DAY_MS;
  let old = await erasures.olderThan(ageMs, BATCH);
  if (old.length === 0) return;
  await withLease(retentionLease, async () => {
    for (let batch = 0; batch < BATCHES_PER_TURN && old.length > 0; batch++) {
      if (!(await retentionLease.hold())) return;
      log.info({ ...(await eraseEach(context, old)), retentionDays }, 'Submissions past their retention were erased');
      old = await erasures.olderThan(ageMs, BATCH);
    }
  });
}
