/** Returns RFC 3339, UTC, with milliseconds. Fails when the date is missing, because every service must send it. */
export function isoDate(value: Date | undefined, field: string): string {
  if (!value) throw new Error(`${field} is missing`);
  return value.toISOString();
}

export function isoDateOrNull(value: Date | undefined): string | null {
  return value ? value.toISOString() : null;
}
