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
// The values below which the smaller unit is clearer: 90 s, not 1.5 min; 1234, not 1.23 k.
const BETTER_BELOW: Record<number, number> = { 60: 2, 1e3: 10 };
const PER_SECOND: Record<string, string> = { reqps: '/s', ops: '/s', cps: '/s', eps: '/s', Bps: '/s', binBps: '/s' };

/** Formats a value for people. `unit` is Grafana's name of the unit. */
export function formatValue(value: number, unit: string, decimals?: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  switch (unit) {
    case 's':
    case 'dtdurations':
      return scaled(value, SECONDS, decimals);
    case 'ms':
      return scaled(value / 1000, SECONDS, decimals);
    case 'bytes':
    case 'decbytes':
      return scaled(value, BYTES, decimals);
    case 'percentunit':
      return `${rounded(value * 100, decimals)} %`;
    case 'percent':
      return `${rounded(value, decimals)} %`;
    case 'Bps':
    case 'binBps':
      return `${scaled(value, BYTES, decimals)}/s`;
    default:
      return `${scaled(value, PLAIN, decimals)}${PER_SECOND[unit] ?? ''}`;
  }
}

function scaled(value: number, scale: Scale, decimals: number | undefined): string {
  if (value === 0) return `0 ${scale.find(([size]) => size === 1)?.[1] ?? ''}`.trim();
  const [size, name] = scale.find(([at]) => Math.abs(value) >= at * (BETTER_BELOW[at] ?? 1)) ?? scale.at(-1)!;
  return `${rounded(value / size, decimals)} ${name}`.trim();
}

function rounded(value: number, decimals: number | undefined): string {
  if (decimals !== undefined) return value.toFixed(decimals);
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(0);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return String(Number(value.toFixed(digits)));
}
