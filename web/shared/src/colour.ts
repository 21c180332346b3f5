// Colour calculations by WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio

const COLOUR = /^#[0-9a-f]{6}$/i;

export const isColour = (text: string): boolean => COLOUR.test(text);

const channels = (colour: string): number[] => [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map(value => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colours `#rrggbb`: from 1 (equal) to 21 (black and white). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns black or white, whichever is easier to read on the colour. The contrast is at least 4.5:1 on any colour. */
export const inkOn = (colour: string): '#000000' | '#ffffff' =>
  contrast(colour, '#000000') >= contrast(colour, '#ffffff') ? '#000000' : '#ffffff';

/** Returns the first of the colours between `colour` and `to`, in steps of a twentieth, with at least this contrast. */
function moved(colour: string, to: 0 | 255, ground: string, least: number): string {
  let next = colour;
  for (let share = 0.05; share < 1 && contrast(next, ground) < least; share += 0.05) {
    const mixed = channels(colour).map(value => Math.round(value + (to - value) * share));
    next = `#${mixed.map(value => value.toString(16).padStart(2, '0')).join('')}`;
  }
  return next;
}

/** Lightens the colour step by step until its contrast with a dark background is at least `least`, and returns it. */
export const lightened = (colour: string, ground: string, least: number): string => moved(colour, 255, ground, least);

/** Darkens the colour step by step until its contrast with a light background is at least `least`, and returns it. */
export const darkened = (colour: string, ground: string, least: number): string => moved(colour, 0, ground, least);
