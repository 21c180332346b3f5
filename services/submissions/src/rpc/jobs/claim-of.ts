import { DomainError } from '@recording-request/kit/errors';
import { type Job, JobKind } from '@recording-request/proto/work/v1/work';
import type { Claim } from '../../domain/jobs/job-changes.ts';
import type { SubmissionKey } from '../../store/jobs.ts';

const KINDS = { [JobKind.JOB_KIND_MEDIA]: 'media', [JobKind.JOB_KIND_TRANSCRIPT]: 'transcript' } as const;

interface ClaimRequest {
  job?: Job | undefined;
  holder: string;
}

/** Parses the common fields of the RPCs about one job. Fails with `invalid`. */
export function claimOf({ job, holder }: ClaimRequest): { key: SubmissionKey; claim: Claim } {
  const { kind } = takerOf({ kind: job?.kind, holder });
  const { projectId, submissionId, requestNumber } = job!;
  return { key: { projectId, submissionId }, claim: { kind, requestNumber, holder } };
}

/** Parses the kind of job that a worker requests. Fails with `invalid`. */
export function takerOf({
  kind,
  holder,
}: {
  kind: JobKind | undefined;
  holder: string;
}): Pick<Claim, 'kind' | 'holder'> {
  const known = KINDS[kind as keyof typeof KINDS];
  if (!known) throw new DomainError('invalid', 'kind must be media or transcript.');
  if (holder === '') throw new DomainError('invalid', 'holder must name the process that works on the job.');
  return { kind: known, holder };
}
