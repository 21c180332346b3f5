import { announce } from '@recording-request/web-shared/browser/texts';

/** Calls `act` for clicks on elements with this attribute, including elements that are added later. */
export function onClickOf(attribute: string, act: (element: HTMLElement, event: MouseEvent) => unknown): void {
  addEventListener('click', event => {
    const target = (event.target as Element | null)?.closest?.<HTMLElement>(`[${attribute}]`);
    if (target) void act(target, event);
  });
}

/** Copies a text. For a moment, the button's text and its accessible name confirm this. */
export async function copyFrom(button: HTMLElement, text: string, done = 'Copied'): Promise<void> {
  const { label = button.textContent ?? '', name = button.getAttribute('aria-label') } = button.dataset;
  button.dataset.label = label;
  if (name) button.dataset.name = name;
  let shown = done;
  try {
    await navigator.clipboard.writeText(text);
    announce(done);
  } catch {
    shown = 'Copy failed';
    announce('Your browser blocked copying. Select the link and copy it yourself.');
  }
  button.textContent = shown;
  button.removeAttribute('aria-label');
  setTimeout(() => {
    button.textContent = label;
    if (name) button.setAttribute('aria-label', name);
  }, 2_000);
}
