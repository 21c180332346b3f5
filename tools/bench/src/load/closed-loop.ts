/** What a closed loop did: each lane sends its next request when it has the answer to the last one. */
export interface LoopResult {
  count: number;
  seconds: number;
}

/** How often it is asked whether to go on: the answer may need all of /proc to be read. */
const ASK_MS = 100;

/**
 * Runs `work` on `lanes` lanes, each the next time when the last one is done, until `isEnough`, which is asked some times a
 * second. What is running then is completed and counted. Rejects, once every lane has stopped, with the first error of `work`.
 */
export async function closedLoop(
  work: (lane: number) => Promise<void>,
  { lanes, isEnough }: { lanes: number; isEnough: (count: number, seconds: number) => boolean },
): Promise<LoopResult> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let [count, askedAt, isOver] = [0, 0, false];
  const goesOn = () => {
    if (isOver) return false;
    const now = seconds();
    if (now - askedAt >= ASK_MS / 1000) {
      askedAt = now;
      isOver = isEnough(count, now);
    }
    return !isOver;
  };
  const lane = async (at: number) => {
    do {
      await work(at);
      count += 1;
    } while (goesOn());
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
