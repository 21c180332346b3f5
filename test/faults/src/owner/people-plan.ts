import type { Random } from '@recording-request/stack/random';
import type { Person, PersonAction } from './people.ts';

export interface Quantities {
  /** The number of projects that the owner closes before the first reminder is due, and after it. */
  closed: { early: number; late: number };
  /** The number of each action. */
  actions: Record<PersonAction, number>;
  /** The share of actions that happen before the first reminder is due. */
  early: number;
}

export interface Step {
  person: Person;
  action: PersonAction;
}

export interface Plan {
  early: Step[];
  late: Step[];
  moved: Person[];
  /** The people of the closed projects. */
  closed: { early: Person[][]; late: Person[][] };
}

/** Chooses a person for each action. Nobody gets two actions, so that the test knows each outcome. */
export function planOf(people: Person[], { actions, early, closed }: Quantities, random: Random): Plan {
  const groups = [...Map.groupBy(people, ({ project }) => project).values()];
  const ends = closed.early + closed.late;
  const shut = groups.slice(0, ends);
  const open = groups.slice(ends).flat();
  const some = [...open, ...shut.flatMap(group => group.slice(0, group.length / 4))];
  const takeFrom = (list: Person[]): Person => {
    const [person] = list.splice(random.integer(0, list.length - 1), 1);
    return person!.action ? takeFrom(list) : person!;
  };
  const plan: Plan = {
    ...{ early: [], late: [], moved: [] },
    closed: { early: shut.slice(0, closed.early), late: shut.slice(closed.early) },
  };
  for (const [action, count] of Object.entries(actions) as [PersonAction, number][])
    for (let time = 0; time < count; time += 1) {
      // Only people of open projects can use the page that stops reminders or get a new deadline.
      const person = takeFrom(action === 'stop' || action === 'move' ? open : some);
      person.action = action;
      if (action === 'move') plan.moved.push(person);
      else (random.chance(early) ? plan.early : plan.late).push({ person, action });
    }
  for (const steps of [plan.early, plan.late]) shuffle(steps, random);
  return plan;
}

function shuffle<T>(items: T[], random: Random): void {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = random.integer(0, at);
    [items[at], items[other]] = [items[other]!, items[at]!];
  }
}
