// The state of the page's own history entry.
const OURS = 'screen';

export interface BackButton {
  /** Call this whenever the previous screen may have appeared or disappeared. */
  update(canGoBack: boolean): void;
}

/**
 * Makes the device's or browser's Back show the previous screen. While a previous screen exists, the page keeps one
 * extra history entry. Back removes this entry, and then `back` is called. Without a previous screen, Back leaves the
 * page.
 */
export function createBackButton(back: () => void): BackButton {
  let able = false;
  // True when the page was reloaded on its extra entry.
  let held = history.state === OURS;

  function update(canGoBack: boolean): void {
    able = canGoBack;
    if (!able || held) return;
    history.pushState(OURS, '');
    held = true;
  }

  addEventListener('popstate', ({ state }) => {
    held = state === OURS;
    // After Forward the entry exists again, and the screen stays.
    if (held) return;
    if (!able) return history.back();
    back();
    update(able);
  });
  return { update };
}
