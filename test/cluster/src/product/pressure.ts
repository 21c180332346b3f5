import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterHarness } from '../harness.ts';

/**
 * Reads per second: the first rate, the increase at each step, and a maximum above the capacity of every service in the
 * lab.
 */
const RATE = { first: 20, more: 10, most: 300 };
const STEP_MS = 5_000;
const TICK_MS = 20;
/** Few connections, so that on a busy machine requests wait instead of failing. */
const CONNECTIONS = 16;

/**
 * Reads `path` over a few connections while `work` runs. The rate rises until `work` calls its argument, and then stays
 * constant. Resolves to that rate in reads per second.
 */
export async function whilePressing(
  { owner }: ClusterHarness,
  path: string,
  work: (enough: () => void) => Promise<unknown>,
): Promise<number> {
  // Uses the connection that has been idle longest, so that the server never closes an idle connection.
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
        // The client records failures.
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
