import type { Effect, Step } from './events.ts';
import type { Message, Phase, Problem, State } from './state.ts';

/** Returns a step with the given state and effects. */
export const step = (state: State, ...effects: Effect[]): Step => ({ state, effects });

/** Returns a step to another phase. */
export const show = (state: State, phase: Phase, ...effects: Effect[]): Step => ({
  state: { ...state, phase },
  effects,
});

/** Returns a step with more effects before its existing effects. */
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
