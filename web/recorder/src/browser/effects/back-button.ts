// What the page's own entry of the history has for its state.
const OURS = 'screen';

export interface BackButton {
  /** To be called with whether there is a screen to go back to, whenever that may have changed. */
  update(canGoBack: boolean): void;
}

/**
 * Makes Back, the device's and the browser's, one screen back: while there is one, the page has one more entry in the history,
 * which Back takes away. `back` is called when it has; where no screen is left, Back leaves the page.
 */
export function createBackButton(back: () => void): BackButton {
  let able = false;
  // Of a page that was reloaded on its own entry.
  let held = history.state === OURS;

  function update(canGoBack: boolean): void {
    able = canGoBack;
    if (!able || held) return;
    history.pushState(OURS, '');
    held = true;
  }

  addEventListener('popstate', ({ state }) => {
    held = state === OURS;
    // Forward again: the entry is there once more, and nothing else has changed.
    if (held) return;
    if (!able) return history.back();
    back();
    update(able);
  });
  return { update };
}
