/** Keeps the screen on while something must not be interrupted. Browsers take the lock away when the page is hidden. */
export function createWakeLock(): (on: boolean) => void {
  let wanted = false;
  let lock: WakeLockSentinel | undefined;

  async function take(): Promise<void> {
    if (!wanted || lock || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock?.request('screen');
      lock?.addEventListener('release', () => {
        lock = undefined;
      });
    } catch {
      // A device short of power refuses; it records all the same.
    }
    if (!wanted) keep(false);
  }

  function keep(on: boolean): void {
    wanted = on;
    if (on) void take();
    else {
      void lock?.release().catch(() => {});
      lock = undefined;
    }
  }

  document.addEventListener('visibilitychange', () => void take());
  return keep;
}
