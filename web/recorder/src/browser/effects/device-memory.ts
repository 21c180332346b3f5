import { pagePath } from '@recording-request/web-shared/browser/page';

// The response that this device has begun on this link.
const KEY = `response:${pagePath}`;

export interface Begun {
  responseSessionId: string;
  termsAccepted: boolean;
}

export function remembered(): Begun | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(begun: Begun): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(begun));
  } catch {
    // A private window stores nothing. The page still works while it is open.
  }
}

export function forget(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // The device has stored nothing.
  }
}

/** Resolves when this is the only tab with the link; calls `waiting` when another tab has it. */
export function onlyTab(waiting: () => void): Promise<void> {
  if (!navigator.locks) return Promise.resolve();
  return new Promise(resolve => {
    const name = `recorder:${pagePath}`;
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
