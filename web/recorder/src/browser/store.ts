import type { Effect, Event, Step } from './state/events.ts';
import type { State } from './state/state.ts';

export interface Store {
  readonly state: State;
  dispatch(event: Event): void;
}

/**
 * Holds the state. Each event produces the next state, which is shown before the event's effects run. An event that an
 * effect causes waits until the other effects of the previous event have run.
 */
export function createStore(
  initial: State,
  reduce: (state: State, event: Event) => Step,
  render: (state: State, before: State) => void,
  run: (effect: Effect) => void,
): Store {
  let state = initial;
  let busy = false;
  const queue: Event[] = [];
  const handle = (event: Event) => {
    const before = state;
    const next = reduce(state, event);
    state = next.state;
    if (state !== before) render(state, before);
    for (const effect of next.effects) run(effect);
  };
  return {
    get state() {
      return state;
    },
    dispatch(event) {
      queue.push(event);
      if (busy) return;
      busy = true;
      try {
        for (let next = queue.shift(); next; next = queue.shift()) handle(next);
      } finally {
        busy = false;
      }
    },
  };
}
