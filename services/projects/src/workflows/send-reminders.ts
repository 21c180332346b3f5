import type { Logger } from '@recording-request/kit/log';
import type { Context } from '../context.ts';
import { projectRefusal, reminderTimes } from '../domain/reminders.ts';
import { inSeconds } from '../domain/time.ts';
import type { DueOwner } from '../store/reminders.ts';

type Deps = Pick<Context, 'store' | 'clock'>;

const ROUNDS = 100;
const ROUND_MS = 20_000;
/**
 * A change of a project, its people or its owner makes the next check due at once. So these intervals only limit the
 * effect of a defect.
 */
const LOOK_SECONDS = 3_600;
const LOOK_CLOSED_SECONDS = 86_400;
const AFTER_FAILURE_SECONDS = 60;

/**
 * Sends the reminders that are due, for at most `ROUND_MS`. Projects take turns with one batch of links each,
 * round-robin by owner. A disabled owner's projects send nothing. Several processes may do this at the same time: see
 * store/reminders.ts.
 */
export async function sendReminders(deps: Deps, log: Logger, signal?: AbortSignal): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let reminded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const owners = await deps.store.reminders.dueOwners(deps.clock.now());
    if (owners.length === 0) break;
    for (const projectId of roundRobinByOwner(owners)) {
      if (signal?.aborted || performance.now() > end) return reminded;
      reminded += await remindProject(deps, projectId, log);
    }
  }
  return reminded;
}

/** Reminds one batch for each reminder time of the project. Returns the number of reminded links. */
async function remindProject({ store, clock }: Deps, projectId: string, log: Logger): Promise<number> {
  const project = await store.projects.findForService(projectId);
  const now = clock.now();
  if (!project?.remindAt || project.remindAt > now) return 0;
  if (projectRefusal(project, now)) {
    await store.reminders.lookAgain(project, inSeconds(now, LOOK_CLOSED_SECONDS));
    return 0;
  }
  // Keeps the progress, so that the owner's people get the reminders when the operator enables the owner again.
  if (await store.users.isDisabled(project.ownerId)) {
    await store.reminders.lookAgain(project, inSeconds(now, LOOK_SECONDS));
    return 0;
  }
  let sum = 0;
  let next = inSeconds(now, LOOK_SECONDS);
  try {
    for (const time of reminderTimes(project.settings.remind)) {
      if (!project.reminders?.[time.key]) continue;
      const at = await store.reminders.nextTime(project, time);
      if (!at) continue;
      if (at <= now) sum += await store.reminders.remindBatch(project, time, () => clock.now());
      // If more reminders are already due, the next turn sends them.
      next = new Date(Math.max(now.getTime(), Math.min(at.getTime(), next.getTime())));
    }
  } catch (error) {
    log.warn({ err: error, project: projectId }, 'The reminders of a project are left to a later turn');
    next = inSeconds(now, AFTER_FAILURE_SECONDS);
  }
  await store.reminders.lookAgain(project, next);
  return sum;
}

/** Orders projects so that the first project of each owner comes before the second project of any owner. */
function roundRobinByOwner(owners: DueOwner[]): string[] {
  const most = Math.max(...owners.map(({ projectIds }) => projectIds.length));
  return Array.from({ length: most }, (_, turn) => owners.flatMap(({ projectIds }) => projectIds[turn] ?? [])).flat();
}
