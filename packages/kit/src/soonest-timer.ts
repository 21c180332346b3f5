/** Calls a function once, at the earliest of the requested times. Does not keep the process alive. */
export interface SoonestTimer {
  /** Requests a call within `ms`. */
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
