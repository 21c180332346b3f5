// The values that this tab keeps over a reload, in its session storage. The secret of the webhook is not among them.

interface Kept {
  token: string;
  /** The values of the form's fields by name. */
  draft: Record<string, string | boolean>;
  /** The last body that was sent, and its Idempotency-Key. */
  sent: { body: string; key: string };
  /** The answer to the creation. The API shows its dashboard token only once. */
  created: unknown;
}

const nameOf = (name: keyof Kept): string => `new-project:${name}`;

export function keep<Name extends keyof Kept>(name: Name, value: Kept[Name] | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(nameOf(name));
    else sessionStorage.setItem(nameOf(name), JSON.stringify(value));
  } catch {
    // Without storage, or when it is full, a reload loses the value.
  }
}

export function kept<Name extends keyof Kept>(name: Name): Kept[Name] | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(name));
    return text === null ? undefined : (JSON.parse(text) as Kept[Name]);
  } catch {
    return undefined;
  }
}
