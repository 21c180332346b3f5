/** Calls something once, at the soonest of the moments that were asked for. Does not keep the process alive. */
export interface SoonestTimer {
  /** In `ms` at the latest. */
  in(ms: number): void;
  cancel(): void;
}

export function createSoonestTimer(work: () => void): SoonestTimer {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const cancel = () => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
  };
  return {
    in(ms) {
      const at = performance.now() + ms;
      if (at >= dueAt) return;
      cancel();
      dueAt = at;
      timer = setTimeout(() => {
        cancel();
        work();
      }, ms).unref();
    },
    cancel,
  };
}
