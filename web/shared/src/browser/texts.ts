/** Shows a text in an element that is hidden while it has none. */
export function showText(element: HTMLElement, text: string): void {
  setText(element, text);
  element.hidden = text === '';
}

/** Leaves an element alone whose text is the same: a live region would be read again. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Has a screen reader say something; both pages have a live region for it. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (region) region.textContent = text;
}
