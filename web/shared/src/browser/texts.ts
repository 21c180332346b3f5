/** Shows a text in an element; hides the element when the text is empty. */
export function showText(element: HTMLElement, text: string): void {
  setText(element, text);
  element.hidden = text === '';
}

/** Sets a text only if it differs, because a screen reader reads a live region again after each change. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Announces a text to screen readers, through the live region of the page. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (region) region.textContent = text;
}
