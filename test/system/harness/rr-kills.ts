import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type RrOptions, startRr } from './rr.ts';

/** The plan for killing the runs of a command. */
export interface Killing {
  /** The number of runs that must end by the signal. */
  times: number;
  /** SIGKILL by default. After another signal, the command must return `code`. */
  signal?: NodeJS.Signals;
  code?: number;
  /**
   * Arranges that `kill` is called during a run. `left` is the number of runs that must still be killed, including this
   * one. Returns a function that cancels the call.
   */
  aim(kill: () => void, left: number): () => void;
  /** Creates more work after a run that ended by itself. `left` is the number of runs that must still be killed. */
  more(left: number): Promise<unknown>;
  /** Called after every run, to check the files that it left. */
  check?(): Promise<void>;
}

// Covers most of a start: the command loads its modules and reads the files of the previous run.
const START_MS = 400;
const SHORT_MS = 12;

/** Runs `rr` until the signal has ended `times` runs. Fails if a run fails by itself. Returns the number of all runs. */
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
    // A signal that arrives before the command has set its handler, or while it exits, ends the process directly.
    const isEnded = isKilled && (code === expected || endedBy === signal);
    assert.ok(isEnded || code === 0, `rr ${args.join(' ')} returned ${code} (${endedBy}): ${stderr}`);
    if (isEnded) kills++;
    else await more(times - kills);
    await check?.();
  }
  return runs;
}

/** Returns a random whole number of at least 1, such that `left` of these numbers together use up most of `rest`. */
export const share = (rest: number, left: number): number =>
  1 + randomInt(Math.max(1, Math.ceil((2 * rest) / (left + 1))));

/** Kills at once or up to 12 ms later, at random, so that a kill may fall between any two steps of the command. */
export function soon(kill: () => void): void {
  const ms = randomInt(2 * SHORT_MS) - SHORT_MS;
  if (ms <= 0) kill();
  else setTimeout(kill, ms);
}

/** Kills at a random time while the command starts. Returns a function that cancels the kill. */
export function whileStarting(kill: () => void): () => void {
  const timer = setTimeout(kill, randomInt(START_MS));
  return () => clearTimeout(timer);
}
