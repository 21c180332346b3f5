import type { Effect, Step } from './events.ts';
import type { Message, Phase, Problem, State } from './state.ts';

/** The same phase, or a state that has another one already. */
export const step = (state: State, ...effects: Effect[]): Step => ({ state, effects });

/** Another phase. */
export const show = (state: State, phase: Phase, ...effects: Effect[]): Step => ({
  state: { ...state, phase },
  effects,
});

/** More effects, before those of a step. */
export const first = (effects: Effect[], { state, effects: rest }: Step): Step => ({
  state,
  effects: [...effects, ...rest],
});

export const announce = (...texts: (Message | string)[]): Effect => ({ do: 'announce', texts });

export const toProblem = (state: State, problem: Omit<Problem, 'at'>): Step =>
  show(
    state,
    { at: 'problem', ...problem },
    ...(problem.save ? [{ do: 'offerSave', id: problem.save.id } as const] : []),
    announce([problem.title], problem.text),
  );
