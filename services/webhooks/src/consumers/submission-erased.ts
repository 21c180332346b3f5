import type { SubmissionErased } from '@recording-request/proto/events/v1/events';
import type { Ledger } from '../store/ledger.ts';

/** submission.erased: what it was stays in the ledger, its content does not. */
export async function onSubmissionErased({ projectId, submissionId }: SubmissionErased, ledger: Ledger): Promise<void> {
  await ledger.erase(projectId, submissionId, new Date());
}
