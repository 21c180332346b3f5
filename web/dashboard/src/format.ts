// Formats lengths, numbers and sizes for people.

/** `90` → `1 minute 30 seconds`, for screen readers. */
export function spokenLength(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return [minutes > 0 && count(minutes, 'minute'), (rest > 0 || minutes === 0) && count(rest, 'second')]
    .filter(Boolean)
    .join(' ');
}

/** `1` → `1 clip`, `2` → `2 clips`. */
export const count = (number: number, thing: string): string =>
  `${number.toLocaleString('en')} ${thing}${number === 1 ? '' : 's'}`;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** Formats bytes in decimal units, like browsers in the list of downloads. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
