/** Adds a style sheet to the page, with the nonce that the policy of the page requires. */
export function addStyle(text: string): void {
  const style = document.createElement('style');
  style.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
  style.textContent = text;
  document.head.append(style);
}
