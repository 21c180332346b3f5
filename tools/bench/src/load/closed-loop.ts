/**
 * The result of a closed loop. In this loop, each lane sends its next request after the answer to its previous request.
 */
export interface LoopResult {
  count: number;
  seconds: number;
}

/** The interval of the calls to `isEnough`, which may read all of /proc. */
const CHECK_MS = 100;

/**
 * Repeats `work` on each of `lanes` lanes until `isEnough` returns true; calls `isEnough` every CHECK_MS. Then waits
 * for running work and counts it too. Rejects with the first error of `work`, after every lane has stopped.
 */
export async function closedLoop(
  work: (lane: number) => Promise<void>,
  { lanes, isEnough }: { lanes: number; isEnough: (count: number, seconds: number) => boolean },
): Promise<LoopResult> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let [count, checkedAt, isOver] = [0, 0, false];
  const continues = () => {
    if (isOver) return false;
    const now = seconds();
    if (now - checkedAt >= CHECK_MS / 1000) {
      checkedAt = now;
      isOver = isEnough(count, now);
    }
    return !isOver;
  };
  const lane = async (at: number) => {
    do {
      await work(at);
      count += 1;
    } while (continues());
  };
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, (_, at) =>
      lane(at).catch(error => {
        isOver = true;
        throw error;
      }),
    ),
  );
  const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  if (failed) throw failed.reason;
  return { count, seconds: seconds() };
}
