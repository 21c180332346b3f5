import type { Tree } from '../tree.ts';

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

/** The elements of a tree. Texts become texts: nothing in them is read as markup. */
export function build(tree: Tree): Node[] {
  if (Array.isArray(tree)) return tree.flatMap(build);
  if (tree === null || tree === undefined || tree === false) return [];
  if (typeof tree !== 'object') return [document.createTextNode(String(tree))];
  // What is for pages without a script is of no use to one.
  if (tree.tag === 'noscript') return [];
  const element = document.createElement(tree.tag);
  for (const [name, value] of Object.entries(tree.attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...tree.children.flatMap(build));
  return [element];
}

export const buildOne = (tree: Tree): HTMLElement => build(tree)[0] as HTMLElement;

/** Puts the reader's own time and way of writing it where the server wrote UTC. */
export function localTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time:not([data-local])')) {
    const at = new Date(element.dateTime);
    element.dataset.local = 'true';
    element.title = at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
    const sameYear = at.getFullYear() === new Date().getFullYear();
    const year = sameYear ? undefined : 'numeric';
    const day = at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year });
    element.textContent = `${day}, ${at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })}`;
  }
}

/** Fills `parent` with a tree. */
export function fill(parent: Element, tree: Tree): void {
  parent.replaceChildren(...build(tree));
  localTimes(parent);
}

/** Text in an element that is hidden while it has none. */
export function tell(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

/** Says something to a screen reader. */
export function announce(text: string): void {
  byId('announcer').textContent = text;
}

/** Calls `act` for clicks on what has this attribute, also on what comes later. */
export function onClickOf(attribute: string, act: (element: HTMLElement, event: MouseEvent) => unknown): void {
  addEventListener('click', event => {
    const target = (event.target as Element | null)?.closest?.<HTMLElement>(`[${attribute}]`);
    if (target) void act(target, event);
  });
}

/** Copies, and says so on the button for a moment: to the eye and as its name. */
export async function copyFrom(button: HTMLElement, text: string, done = 'Copied'): Promise<void> {
  const { label = button.textContent ?? '', name = button.getAttribute('aria-label') } = button.dataset;
  button.dataset.label = label;
  if (name) button.dataset.name = name;
  let told = done;
  try {
    await navigator.clipboard.writeText(text);
    announce(done);
  } catch {
    told = 'Could not copy';
    announce('The browser did not let the page copy. Select the address and copy it by hand.');
  }
  button.textContent = told;
  button.removeAttribute('aria-label');
  setTimeout(() => {
    button.textContent = label;
    if (name) button.setAttribute('aria-label', name);
  }, 2_000);
}
