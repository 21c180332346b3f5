import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type RrOptions, startRr } from './rr.ts';

/** How a command is ended again and again. */
export interface Killing {
  /** The number of runs that must end by the signal. */
  times: number;
  /** SIGKILL by default. After another signal, the command must return `code`. */
  signal?: NodeJS.Signals;
  code?: number;
  /** Arranges the end of a run: it calls `kill`. `left` runs are to be ended, with this one. Returns a function that undoes it. */
  aim(kill: () => void, left: number): () => void;
  /** Makes more work, because a run ended by itself. `left` runs are still to be ended. */
  more(left: number): Promise<unknown>;
  /** Checks the traces of a run that was ended. */
  check?(): Promise<void>;
}

// Most of a start: the modules are loaded, and the files of the last run are read.
const START_MS = 400;
const SHORT_MS = 12;

/** Runs `rr` until `times` runs were ended by the signal. Fails if a run fails by itself. Returns the number of all runs. */
export async function killAgain(args: readonly string[], options: RrOptions, killing: Killing): Promise<number> {
  const { times, signal = 'SIGKILL', code: expected = null, aim, more, check } = killing;
  let kills = 0;
  let runs = 0;
  while (kills < times) {
    runs++;
    assert.ok(runs <= 3 * times + 10, `only ${kills} of ${runs} runs were killed`);
    const running = startRr(args, options);
    let isKilled = false;
    const undo = aim(() => {
      isKilled = running.child.kill(signal);
    }, times - kills);
    const { code, stderr, endedBy } = await running.done;
    undo();
    // A signal that comes before the command handles it, or after its end, has the usual effect.
    const isEnded = isKilled && (code === expected || endedBy === signal);
    assert.ok(isEnded || code === 0, `rr ${args.join(' ')} returned ${code} (${endedBy}): ${stderr}`);
    if (isEnded) kills++;
    else await more(times - kills);
    await check?.();
  }
  return runs;
}

/** Returns a whole number of at least 1, by chance: `left` of them take about as much as there is. */
export const share = (rest: number, left: number): number =>
  1 + randomInt(Math.max(1, Math.ceil((2 * rest) / (left + 1))));

/** Kills soon, by chance at once or within 12 ms: between two steps of the command. */
export function soon(kill: () => void): void {
  const ms = randomInt(2 * SHORT_MS) - SHORT_MS;
  if (ms <= 0) kill();
  else setTimeout(kill, ms);
}

/** Kills while the command starts. Returns a function that undoes it. */
export function whileStarting(kill: () => void): () => void {
  const timer = setTimeout(kill, randomInt(START_MS));
  return () => clearTimeout(timer);
}
