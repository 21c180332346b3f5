import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type {
  GetTraceResponse,
  SubmissionsOperatorServiceServer,
} from '@recording-request/proto/operator/v1/submissions';
import { traceAddress } from './address.ts';
import type { TraceCommand } from './command.ts';
import type { Report } from './run.ts';
import { NotDone } from './run-erase.ts';
import { properties, timeOf } from './table.ts';

export type Traces = Pick<ClientOf<SubmissionsOperatorServiceServer>, 'getTrace'>;

const NO_ADDRESS = 'Set TRACE_URL, such as https://traces.example.com/trace/{traceId}, and its address is printed too.';

/** Returns the trace of a clip's landing, and its URL by `template`. Fails with a DomainError, or with NotDone if there is none. */
export async function showTrace(
  submissions: Traces,
  { id }: TraceCommand,
  template: string | undefined,
): Promise<Report> {
  const found = await submissions.getTrace({ id }).catch(error => {
    if (error instanceof DomainError && error.code === 'not_found')
      throw new NotDone(`There is no submission and no upload with the id ${id}.`);
    throw error;
  });
  const { traceId, submissionId, projectId, at } = found;
  if (traceId === '') throw new NotDone(whyNone(found));
  const address = template && traceAddress(template, traceId);
  const rows: Array<[string, string]> = [
    ['TRACE ID', traceId],
    ...(address ? [['ADDRESS', address] satisfies [string, string]] : []),
    ['SUBMISSION ID', submissionId],
    ['PROJECT ID', projectId],
    ['LAST BYTE', timeOf(at)],
  ];
  return {
    lines: properties(rows),
    value: { traceId, address: address ?? null, submissionId, projectId, at: at ?? null },
    ...(!address && { note: NO_ADDRESS }),
  };
}

const whyNone = ({ submissionId }: GetTraceResponse): string =>
  submissionId === ''
    ? 'This upload does not have all of its bytes yet, so it has no landing with a trace.'
    : 'This clip landed while tracing was off, so it has no trace.';
