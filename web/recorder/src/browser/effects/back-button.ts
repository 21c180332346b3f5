// The state of the page's own history entry.
const OURS = 'screen';

export interface BackButton {
  /** Call this with whether there is a screen to go back to, whenever that may have changed. */
  update(canGoBack: boolean): void;
}

/**
 * Makes the device's or browser's Back go one screen back. While there is a previous screen, the page keeps one extra history
 * entry; Back removes it, and then `back` is called. Without a previous screen, Back leaves the page.
 */
export function createBackButton(back: () => void): BackButton {
  let able = false;
  // True when the page was reloaded on its own entry.
  let held = history.state === OURS;

  function update(canGoBack: boolean): void {
    able = canGoBack;
    if (!able || held) return;
    history.pushState(OURS, '');
    held = true;
  }

  addEventListener('popstate', ({ state }) => {
    held = state === OURS;
    // After Forward, the entry exists again and nothing else has changed.
    if (held) return;
    if (!able) return history.back();
    back();
    update(able);
  });
  return { update };
}
