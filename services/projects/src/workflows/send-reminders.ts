import type { Logger } from '@recording-request/kit/log';
import type { Context } from '../context.ts';
import type { Project } from '../domain/project.ts';
import { mayRemind, reminderTimes } from '../domain/reminders.ts';
import { inSeconds } from '../domain/time.ts';

type Deps = Pick<Context, 'store' | 'clock'>;

const PROJECTS_AT_ONCE = 100;
const ROUNDS = 100;
const LOOK_SECONDS = 60;
const LOOK_CLOSED_SECONDS = 3_600;

/**
 * Sends the reminders that are due. Owners take turns, one batch of links each. Several processes may do this at the
 * same time: see store/reminders.ts.
 */
export async function sendReminders(deps: Deps, log: Logger): Promise<number> {
  let reminded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const due = await deps.store.reminders.dueProjects(deps.clock.now(), PROJECTS_AT_ONCE);
    if (due.length === 0) break;
    for (const project of inTurns(due))
      reminded += await remindProject(deps, project).catch(error => {
        log.warn({ err: error, project: project._id }, 'The reminders of a project are left to the next turn');
        return deps.store.reminders.lookAgain(project._id, inSeconds(deps.clock.now(), LOOK_SECONDS)).then(() => 0);
      });
  }
  return reminded;
}

/** Reminds one batch for each time of the project. Returns the number of reminded links. */
async function remindProject({ store, clock }: Deps, project: Project): Promise<number> {
  const now = clock.now();
  if (!mayRemind(project, now)) {
    await store.reminders.lookAgain(project._id, inSeconds(now, LOOK_CLOSED_SECONDS));
    return 0;
  }
  let sum = 0;
  let isMore = false;
  for (const time of reminderTimes(project.settings.remind)) {
    if (!project.reminders?.[time.key]) continue;
    const { more, reminded } = await store.reminders.remindBatch(project, time, now);
    sum += reminded;
    isMore ||= more;
  }
  await store.reminders.lookAgain(project._id, isMore ? now : inSeconds(now, LOOK_SECONDS));
  return sum;
}

/** Orders projects so that the first project of each owner comes before any second one. */
function inTurns(projects: Project[]): Project[] {
  const byOwner = [...Map.groupBy(projects, ({ ownerId }) => ownerId).values()];
  const most = Math.max(...byOwner.map(({ length }) => length));
  return Array.from({ length: most }, (_, turn) => byOwner.flatMap(list => list[turn] ?? [])).flat();
}
