/** The largest expected difference between the clocks of two processes. */
export const CLOCKS_MS = 60_000;

/** Returns the smallest UUIDv7 with this time. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
