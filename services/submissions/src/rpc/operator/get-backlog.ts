import { DomainError } from '@recording-request/kit/errors';
import type { Backlog, GetBacklogRequest, GetBacklogResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { JOB_KINDS, type JobKind } from '../../domain/clips/submission.ts';

const TROUBLED = 20;
const TROUBLED_MAX = 1_000;

export const getBacklog =
  ({ jobs }: Pick<Context, 'jobs'>) =>
  async ({ troubledLimit }: GetBacklogRequest): Promise<GetBacklogResponse> => {
    if (troubledLimit > TROUBLED_MAX)
      throw new DomainError('invalid', `troubled_limit must be at most ${TROUBLED_MAX}.`);
    const backlogOf = async (kind: JobKind): Promise<Backlog> => {
      const { troubled, oldest, ...counts } = await jobs.backlog(kind, troubledLimit || TROUBLED);
      return {
        kind,
        ...counts,
        oldestAt: oldest[0]?.job.since,
        oldest: oldest.map(({ projectId, submissionId, job: { since: askedAt, state } }) => {
          return { projectId, submissionId, askedAt, state };
        }),
        troubled: troubled.map(({ projectId, submissionId, job }) => ({
          projectId,
          submissionId,
          askedAt: job.since,
          attempts: job.attempts,
          givenBack: job.givenBack,
          problem: job.problem ?? '',
          nextAt: job.dueAt,
        })),
      };
    };
    return { backlogs: await Promise.all(JOB_KINDS.map(backlogOf)) };
  };
