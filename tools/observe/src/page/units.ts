type Scale = readonly (readonly [number, string])[];

const SECONDS: Scale = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
];
const BYTES: Scale = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];
const PLAIN: Scale = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
];
// Below these values, the smaller unit is clearer: 90 s, not 1.5 min; 1234, not 1.23 k.
const BETTER_BELOW: Record<number, number> = { 60: 2, 1e3: 10 };
const PER_SECOND: Record<string, string> = { reqps: '/s', ops: '/s', cps: '/s', eps: '/s', Bps: '/s', binBps: '/s' };
// Floating-point sums that should be 0 can leave a rounding error. No real figure is this small.
const REST = 1e-9;
// Grafana's form of a unit that it does not know.
const SUFFIX = 'suffix:';

/** Returns 0 for a value that is only a rounding error. */
export const withoutRest = (value: number): number => (Math.abs(value) < REST ? 0 : value);

/** Formats the ticks of an axis, all in the unit of the largest. */
export function formatTicks(ticks: readonly number[], unit: string): string[] {
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  return ticks.map(tick => formatValue(tick, unit, undefined, largest));
}

/** Formats a value for people. `unit` is Grafana's name of the unit. The size of `like` selects between seconds and minutes. */
export function formatValue(value: number, unit: string, decimals?: number, like = value): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  const scaled = (scale: Scale, factor = 1) => onScale(scale, value * factor, like * factor, decimals);
  switch (unit) {
    case 's':
    case 'dtdurations':
      return scaled(SECONDS);
    case 'ms':
      return scaled(SECONDS, 1e-3);
    case 'bytes':
    case 'decbytes':
      return scaled(BYTES);
    case 'percentunit':
      return `${rounded(withoutRest(value * 100), decimals)} %`;
    case 'percent':
      return `${rounded(withoutRest(value), decimals)} %`;
    case 'Bps':
    case 'binBps':
      return `${scaled(BYTES)}/s`;
    default:
      return `${scaled(PLAIN)}${PER_SECOND[unit] ?? suffixOf(unit)}`;
  }
}

const suffixOf = (unit: string) => (unit.startsWith(SUFFIX) ? ` ${unit.slice(SUFFIX.length)}` : '');

function onScale(scale: Scale, exact: number, like: number, decimals: number | undefined): string {
  const value = withoutRest(exact);
  const fits = ([size]: Scale[number]) => Math.abs(like) >= size * (BETTER_BELOW[size] ?? 1);
  const base = scale.find(([size]) => size === 1)!;
  const [size, name] = withoutRest(like) === 0 ? base : (scale.find(fits) ?? scale.at(-1)!);
  return `${value === 0 ? 0 : rounded(value / size, decimals)} ${name}`.trim();
}

function rounded(value: number, decimals: number | undefined): string {
  if (decimals !== undefined) return value.toFixed(decimals);
  const size = Math.abs(value);
  if (size < 0.001) return String(Number(value.toPrecision(1)));
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return String(Number(value.toFixed(digits)));
}
