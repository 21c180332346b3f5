// Colour calculations by WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
// This file imports nothing, so that a page can use it.

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The lowest contrast of an accent colour with a white page (WCAG 1.4.11). Pages derive darker and lighter shades for text. */
export const LEAST_ACCENT_CONTRAST = 3;

const WHITE = '#ffffff';

export const isColour = (text: string): boolean => COLOUR.test(text);

/** Returns red, green and blue of a colour `#rrggbb`, each from 0 to 255. */
export const channels = (colour: string): number[] =>
  [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));

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

/** Returns whether a text is a colour that is visible on a white page. */
export const isAccent = (text: string): boolean => isColour(text) && contrast(text, WHITE) >= LEAST_ACCENT_CONTRAST;
