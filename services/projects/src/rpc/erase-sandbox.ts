import { DomainError } from '@recording-request/kit/errors';
import type { EraseSandboxRequest, EraseSandboxResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { eraseProject } from '../workflows/erase-project.ts';

export const eraseSandbox =
  (context: Pick<Context, 'store' | 'clock'>) =>
  async ({ projectId }: EraseSandboxRequest): Promise<EraseSandboxResponse> => {
    const project = await context.store.projects.findForService(projectId);
    const hasEnded = project?.sandboxEndsAt && project.sandboxEndsAt <= context.clock.now();
    // A project that is not found was erased by an earlier call, or does not exist.
    if (project && !hasEnded) throw new DomainError('gone', 'This project is no sandbox that has ended.');
    await eraseProject(context, projectId);
    return {};
  };
