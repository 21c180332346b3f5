type Tag = keyof HTMLElementTagNameMap;
type Tags = Record<string, Tag>;
type Found<T extends Tags> = { [Name in keyof T]: HTMLElementTagNameMap[T[Name]] };

/** `recWord` → `rec-word`. */
export const idOf = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

/**
 * Returns the existing elements by name, for a map of names to tags. `recWord: 'span'` is the element `<span
 * id="rec-word">`.
 */
export function findOptional<T extends Tags>(tags: T): Partial<Found<T>> {
  const found: Record<string, HTMLElement> = {};
  for (const [name, tag] of Object.entries(tags)) {
    const element = document.getElementById(idOf(name));
    if (element?.localName === tag) found[name] = element;
  }
  return found as Partial<Found<T>>;
}

/** Returns all elements of the map. If elements are missing or have another tag, fails with their names. */
export function findElements<T extends Tags>(tags: T): Found<T> {
  const found = findOptional(tags);
  const missing = Object.keys(tags).filter(name => !found[name]);
  if (missing.length > 0) throw new Error(`The page has no ${missing.map(idOf).join(', ')}`);
  return found as Found<T>;
}
