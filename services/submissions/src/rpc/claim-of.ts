import { DomainError } from '@recording-request/kit/errors';
import { type Job, JobKind } from '@recording-request/proto/work/v1/work';
import type { Claim } from '../domain/job-changes.ts';
import type { SubmissionKey } from '../store/jobs.ts';

const KINDS = { [JobKind.JOB_KIND_MEDIA]: 'media', [JobKind.JOB_KIND_TRANSCRIPT]: 'transcript' } as const;

/** Reads the parts that the RPCs about jobs have in common. Fails with `invalid`. */
export function claimOf({ job, holder }: { job?: Job | undefined; holder: string }): {
  key: SubmissionKey;
  claim: Claim;
} {
  const kind = KINDS[job?.kind as keyof typeof KINDS];
  if (!job || !kind) throw new DomainError('invalid', 'job.kind must be media or transcript.');
  if (holder === '') throw new DomainError('invalid', 'holder must name the process that works on the job.');
  const { projectId, submissionId, requestNumber } = job;
  return { key: { projectId, submissionId }, claim: { kind, requestNumber, holder } };
}
