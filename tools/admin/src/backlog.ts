import type { ClientOf } from '@recording-request/kit/grpc-client';
import type {
  Backlog,
  SubmissionsOperatorServiceServer,
  TroubledJob,
} from '@recording-request/proto/operator/v1/submissions';
import type { Report } from './run.ts';

/** How much work waits and runs, and which jobs were given back. Fails with a DomainError. */
export async function backlog(submissions: ClientOf<SubmissionsOperatorServiceServer>): Promise<Report> {
  const { backlogs } = await submissions.getBacklog({ troubledLimit: 0 });
  return { lines: backlogs.flatMap(linesOf), value: backlogs };
}

function linesOf({ kind, waiting, paused, published, running, oldestAt, troubled }: Backlog): string[] {
  const since = oldestAt ? `, the oldest since ${oldestAt.toISOString()}` : '';
  return [
    `${kind}: ${waiting} waiting, ${paused} paused after a problem, ${published} published, ${running} running${since}`,
    ...troubled.map(lineOf),
  ];
}

const lineOf = ({ submissionId, attempts, givenBack, nextAt, problem }: TroubledJob): string =>
  `  ${submissionId}  ${attempts} attempts, given back ${givenBack} times, next ${nextAt?.toISOString()}  ${problem.replace(/\p{Cc}/gu, ' ')}`;
