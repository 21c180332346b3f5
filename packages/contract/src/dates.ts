/** RFC 3339, UTC, milliseconds. A resource without a date that it must have is a fault of the service that sent it. */
export function isoDate(value: Date | undefined, field: string): string {
  if (!value) throw new Error(`${field} is missing`);
  return value.toISOString();
}

export function isoDateOrNull(value: Date | undefined): string | null {
  return value ? value.toISOString() : null;
}
