import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { Backlog, SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { Report } from './run.ts';
import { table, timeOf } from './table.ts';

const COLUMNS = ['JOBS', 'WAITING', 'PAUSED', 'PUBLISHED', 'RUNNING', 'OLDEST SINCE'] as const;
const TROUBLED = ['SUBMISSION ID', 'JOB', 'ATTEMPTS', 'GIVEN BACK', 'NEXT TRY', 'PROBLEM'] as const;

/** How much work waits and runs, and which jobs were given back. Fails with a DomainError. */
export async function backlog(submissions: ClientOf<SubmissionsOperatorServiceServer>): Promise<Report> {
  const { backlogs } = await submissions.getBacklog({ troubledLimit: 0 });
  const counts = backlogs.map(({ kind, waiting, paused, published, running, oldestAt }) => [
    ...[kind, ...[waiting, paused, published, running].map(String)],
    timeOf(oldestAt),
  ]);
  const troubled = backlogs.flatMap(troubledRows);
  const lines = table(COLUMNS, counts, 'no jobs');
  if (troubled.length > 0) lines.push('', 'given back by their workers:', ...table(TROUBLED, troubled, ''));
  return { lines, value: backlogs };
}

const troubledRows = ({ kind, troubled }: Backlog): string[][] =>
  troubled.map(({ submissionId, attempts, givenBack, nextAt, problem }) => [
    ...[submissionId, kind, String(attempts), String(givenBack)],
    ...[timeOf(nextAt), problem],
  ]);
