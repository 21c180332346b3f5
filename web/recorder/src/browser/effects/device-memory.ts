// The storage key of the response that this device has begun on this link.
const keyOf = (link: string) => `response:${link}`;

export interface Begun {
  responseSessionId: string;
  termsAccepted: boolean;
}

export function remembered(link: string): Begun | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(link)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(link: string, begun: Begun): void {
  try {
    localStorage.setItem(keyOf(link), JSON.stringify(begun));
  } catch {
    // A private window stores nothing. The page still works while it is open.
  }
}

export function forget(link: string): void {
  try {
    localStorage.removeItem(keyOf(link));
  } catch {
    // The device has stored nothing.
  }
}

/** Resolves when this is the only tab with the link; calls `waiting` when another tab has it. */
export function onlyTab(link: string, waiting: () => void): Promise<void> {
  if (!navigator.locks) return Promise.resolve();
  return new Promise(resolve => {
    const name = `recorder:${link}`;
    const hold = () => new Promise<void>(() => resolve());
    navigator.locks
      .request(name, { ifAvailable: true }, lock => {
        if (lock) return hold();
        waiting();
        void navigator.locks.request(name, hold);
        return undefined;
      })
      .catch(() => resolve());
  });
}

/** Returns a version 4 UUID, even outside a secure context. */
export function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
