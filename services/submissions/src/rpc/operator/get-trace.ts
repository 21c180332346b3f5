import { DomainError } from '@recording-request/kit/errors';
import type { GetTraceRequest, GetTraceResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import type { Trace } from '../../domain/clips/submission.ts';

export const getTrace =
  ({ erasures, uploads }: Pick<Context, 'erasures' | 'uploads'>) =>
  async ({ id }: GetTraceRequest): Promise<GetTraceResponse> => {
    const submission = await erasures.find(id);
    if (submission) {
      const { projectId, landedAt: at, trace } = submission;
      return { traceId: traceIdOf(trace), projectId, submissionId: id, at };
    }
    const upload = await uploads.findAnywhere(id);
    if (!upload) throw new DomainError('not_found', 'There is no such submission, and no such upload.');
    const { projectId, submissionId = '', finishingAt: at, trace } = upload;
    return { traceId: traceIdOf(trace), projectId, submissionId, at };
  };

// W3C: version-trace-span-flags.
const traceIdOf = (trace: Trace | undefined): string =>
  /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(trace?.traceparent ?? '')?.[1] ?? '';
