import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { Backlog, SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { Report } from './run.ts';
import { table, timeOf } from './table.ts';

const COLUMNS = ['JOBS', 'WAITING', 'PAUSED', 'RUNNING', 'OLDEST SINCE'] as const;
const OLDEST = ['SUBMISSION ID', 'JOB', 'STATE', 'ASKED FOR'] as const;
const TROUBLED = ['SUBMISSION ID', 'JOB', 'ATTEMPTS', 'GIVEN BACK', 'NEXT TRY', 'PROBLEM'] as const;

/**
 * Reports how many jobs wait and run, the oldest jobs, and the jobs that workers returned to the queue. Fails with a
 * DomainError.
 */
export async function backlog(submissions: ClientOf<SubmissionsOperatorServiceServer>): Promise<Report> {
  const { backlogs } = await submissions.getBacklog({ troubledLimit: 0 });
  const counts = backlogs.map(({ kind, waiting, paused, running, oldestAt }) => [
    ...[kind, ...[waiting, paused, running].map(String)],
    timeOf(oldestAt),
  ]);
  const troubled = backlogs.flatMap(troubledRows);
  const lines = table(COLUMNS, counts, 'no jobs');
  const oldest = backlogs.flatMap(oldestRows);
  if (oldest.length > 0) lines.push('', 'the oldest:', ...table(OLDEST, oldest, ''));
  if (troubled.length > 0) lines.push('', 'given back by their workers:', ...table(TROUBLED, troubled, ''));
  return { lines, value: backlogs };
}

const oldestRows = ({ kind, oldest }: Backlog): string[][] =>
  oldest.map(({ submissionId, state, askedAt }) => [submissionId, kind, state, timeOf(askedAt)]);

const troubledRows = ({ kind, troubled }: Backlog): string[][] =>
  troubled.map(({ submissionId, attempts, givenBack, nextAt, problem }) => [
    ...[submissionId, kind, String(attempts), String(givenBack)],
    ...[timeOf(nextAt), problem],
  ]);
