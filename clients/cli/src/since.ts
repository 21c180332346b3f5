import { UsageFailure } from './failures.ts';

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the time of `2h`, `30m`, `90s`, `3d`, or of an ISO 8601 time with its zone. */
export function sinceOf(text: string, now = Date.now()): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now - Number(count) * UNITS_MS[unit]!);
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  if (!isTime || Number.isNaN(Date.parse(text)))
    throw new UsageFailure('--since must be such as 90s, 30m, 2h, 3d, or a time such as 2026-03-02T10:00:00Z.');
  return new Date(text);
}
