import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterHarness } from '../harness.ts';

/** Reads a second: at first, how many more after each step, and at most, which no service of the lab withstands. */
const RATE = { first: 20, more: 10, most: 300 };
const STEP_MS = 5_000;
const TICK_MS = 20;
/** So few at once that a request waits for a moment where the machine is busy, and nothing fails. */
const CONNECTIONS = 16;

/**
 * Reads `path` over a few connections while `work` runs, more and more often until `work` says that it is enough, then as often as that.
 * Resolves to how often a second that was.
 */
export async function whilePressing(
  { owner }: ClusterHarness,
  path: string,
  work: (enough: () => void) => Promise<unknown>,
): Promise<number> {
  // First in, first out: none is idle for long enough to be closed by the other side.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
  const open = new Set<Promise<unknown>>();
  let [rate, isEnough, isOver] = [RATE.first, false, false];
  const pressing = (async () => {
    let [due, at, risen] = [0, Date.now(), Date.now()];
    while (!isOver) {
      const now = Date.now();
      if (!isEnough && now - risen >= STEP_MS) {
        rate = Math.min(rate + RATE.more, RATE.most);
        risen = now;
      }
      due = Math.min(due + (rate * (now - at)) / 1_000, CONNECTIONS);
      at = now;
      for (; due >= 1 && open.size < CONNECTIONS; due--) {
        // What fails is in the client's list.
        const one = owner.ask(path, { agent, wanted: 200 }).catch(() => {});
        open.add(one);
        void one.finally(() => open.delete(one));
      }
      await delay(TICK_MS);
    }
  })();
  try {
    await work(() => {
      isEnough = true;
    });
  } finally {
    isOver = true;
    await pressing;
    await Promise.all(open);
    agent.destroy();
  }
  return rate;
}
