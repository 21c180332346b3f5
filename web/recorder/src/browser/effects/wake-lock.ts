/** Keeps the screen on during work that must not be interrupted. Browsers release the lock when the page is hidden. */
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
      // A device low on power refuses the lock; the recording continues.
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
