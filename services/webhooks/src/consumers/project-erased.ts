import type { ProjectErased } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { eraseProjectEvents } from '../workflows/erase-events.ts';

/** Handles project.erased: does the same as the operator's erasure of a project's deliveries. */
export const onProjectErased =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async ({ projectId }: ProjectErased): Promise<void> => {
    await eraseProjectEvents(context, projectId);
  };
