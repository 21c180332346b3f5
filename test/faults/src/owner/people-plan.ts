import type { Random } from '@recording-request/stack/random';
import type { Deed, Person } from './people.ts';

export interface Quantities {
  /** The number of projects that the owner closes before the first reminder is due, and after it. */
  closed: { early: number; late: number };
  /** The number of each action. */
  deeds: Record<Deed, number>;
  /** The share of actions that happen before the first reminder is due. */
  early: number;
}

export interface Step {
  person: Person;
  deed: Deed;
}

export interface Plan {
  early: Step[];
  late: Step[];
  moved: Person[];
  /** The people of the closed projects. */
  closed: { early: Person[][]; late: Person[][] };
}

/** Chooses a person for each action. Nobody gets two actions, so that the test knows each outcome. */
export function planOf(people: Person[], { deeds, early, closed }: Quantities, random: Random): Plan {
  const groups = [...Map.groupBy(people, ({ project }) => project).values()];
  const ends = closed.early + closed.late;
  const shut = groups.slice(0, ends);
  const open = groups.slice(ends).flat();
  const some = [...open, ...shut.flatMap(group => group.slice(0, group.length / 4))];
  const takeFrom = (list: Person[]): Person => {
    const [person] = list.splice(random.integer(0, list.length - 1), 1);
    return person!.deed ? takeFrom(list) : person!;
  };
  const plan: Plan = {
    ...{ early: [], late: [], moved: [] },
    closed: { early: shut.slice(0, closed.early), late: shut.slice(closed.early) },
  };
  for (const [deed, count] of Object.entries(deeds) as [Deed, number][])
    for (let time = 0; time < count; time += 1) {
      // Only people of open projects can use the page that stops reminders or get a new deadline.
      const person = takeFrom(deed === 'stop' || deed === 'move' ? open : some);
      person.deed = deed;
      if (deed === 'move') plan.moved.push(person);
      else (random.chance(early) ? plan.early : plan.late).push({ person, deed });
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
