import { announce } from '@recording-request/web-shared/browser/texts';
import { mayWrite } from '../access.ts';
import { sentenceOf } from '../api.ts';
import { forgetPeople, isWhole, loadAgain, loadRest, people, raiseBound } from './held.ts';
import { change, recount, state } from './state.ts';
import { many, say } from './texts.ts';

// Loads people, one load at a time, and shows its progress.

let last = Promise.resolve();
let stop = new AbortController();

type Load = (signal: AbortSignal, onPage: () => void) => Promise<void>;

/** Runs a load after the loads before it. Never rejects: shows the problem, and keeps what was loaded. */
function run(load: Load, quiet = false): Promise<void> {
  const mine = async () => {
    const { signal } = stop;
    const show = () => {
      if (signal.aborted) return;
      recount(quiet ? {} : { running: progress() });
    };
    try {
      if (signal.aborted || !mayWrite()) return;
      if (!quiet) change({ running: progress() });
      await load(signal, show);
      recount(quiet ? {} : { running: undefined });
      if (!quiet) announce(many('peopleLoaded', people.size));
    } catch (error) {
      if (signal.aborted) return;
      const line = say('loadProblem', { reason: sentenceOf(error) });
      const lines = quiet ? [...state.result.lines, line] : [line];
      recount({ ...(!quiet && { running: undefined }), result: { lines, isProblem: true } });
    }
  };
  last = last.then(mine);
  return last;
}

const progress = () => ({ what: say('loading'), done: people.size, total: undefined, cancel: cancelLoads });

function cancelLoads(): void {
  stop.abort();
  stop = new AbortController();
  change({ running: undefined });
}

export const loadPeople = (): Promise<void> => run(loadRest);

export const refreshAll = (): Promise<void> => run(loadAgain);

/** Loads the pages with these people again, without showing progress. */
export const reloadPeople = (ids: string[]): Promise<void> =>
  run((signal, onPage) => loadAgain(signal, onPage, ids), true);

export function loadMore(): void {
  raiseBound();
  void loadPeople();
}

/** Loads the people who were added just now. */
export function loadAdded(): void {
  if (!isWhole()) return;
  raiseBound();
  void run((signal, onPage) => loadAgain(signal, onPage, []));
}

/** Ends the loads, and forgets the people. */
export function forget(): void {
  cancelLoads();
  forgetPeople();
  recount({ selected: new Set(), result: { lines: [], isProblem: false }, asking: false });
}

export const isLoading = (): boolean => state.running !== undefined;
