import { newEvent } from '@recording-request/events/event';
import { outboxEntry } from '@recording-request/events/kafka';
import { isOutage } from '@recording-request/kit/outage';
import { withLease } from '@recording-request/kit-mongo/lease';
import type { EndedSandbox } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import { mapSettled } from '../map-settled.ts';
import { eraseProject } from './erase-project.ts';
import type { EraseContext } from './erase-submission.ts';

const AT_ONCE = 4;
// Short, because the other steps of the sweeper wait for this one.
const TURN_MS = 15_000;
// A sandbox with the maximum number of clips takes a few turns.
const PARTS_PER_TURN = 2;

type SandboxContext = EraseContext & Pick<Context, 'kafka' | 'sandboxLease'>;

/**
 * Erases ended sandboxes for some seconds per turn, in one process at a time, round-robin by owner. If a sandbox is not
 * completely erased, the projects service returns it again after a minute.
 */
export async function eraseEndedSandboxes(context: SandboxContext): Promise<void> {
  const { projects, sandboxLease } = context;
  await withLease(sandboxLease, async () => {
    for (const endsAt = performance.now() + TURN_MS; performance.now() < endsAt; ) {
      if (!(await sandboxLease.hold())) return;
      const { sandboxes } = await projects.takeEndedSandboxes({ limit: AT_ONCE });
      if (sandboxes.length === 0) return;
      await mapSettled(sandboxes, sandbox => eraseSandbox(context, sandbox), { atOnce: AT_ONCE });
    }
  });
}

/** Erases the clips, then the deliveries and the feed, and last the project, so that a crash at any line is repaired. */
async function eraseSandbox(context: SandboxContext, { projectId, ownerId }: EndedSandbox): Promise<void> {
  const { log, kafka, projects } = context;
  try {
    let isDone = false;
    for (let part = 0; part < PARTS_PER_TURN && !isDone; part++) isDone = (await eraseProject(context, projectId)).done;
    if (!isDone) return;
    // The webhooks service consumes this event and erases its part.
    const erased = newEvent('project.erased', { $case: 'projectErased', value: { projectId, ownerId } });
    const [failure] = await kafka.publishRecords([outboxEntry(erased)]);
    if (failure) throw failure;
    await projects.eraseSandbox({ projectId });
    log.info({ projectId }, 'A sandbox has ended and was erased');
  } catch (error) {
    if (isOutage(error)) throw error;
    log.warn(
      { err: error, projectId },
      'An ended sandbox could not be erased completely; it is tried again in a minute',
    );
  }
}
