/** Wakes the loop that dispatches jobs, when there is one in this process. */
export interface Dispatcher {
  wake(): void;
  wakeIn(ms: number): void;
  /** What is to be woken, from now on. */
  onWake(wake: () => void): void;
}

export function createDispatcher(): Dispatcher {
  let listener = () => {};
  let isSet = false;
  return {
    wake: () => listener(),
    wakeIn(ms) {
      if (isSet) return;
      isSet = true;
      setTimeout(() => {
        isSet = false;
        listener();
      }, ms).unref();
    },
    onWake(wake) {
      listener = wake;
    },
  };
}
