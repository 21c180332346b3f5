import { contrast, darkened, inkOn, isColour, lightened } from './colour.ts';
import { type Html, html } from './html.ts';

// The operator's branding of the pages: an accent colour, a logo, a name.

/** The lowest contrast of a part with its background (WCAG 1.4.11). */
const LEAST_CONTRAST = 3;
const LIGHT_GROUND = '#ffffff';
/** The lowest contrast of a text with its background (WCAG 1.4.3). */
const LEAST_OF_TEXT = 4.5;
/** The value of `--tint` in tokens.css: of all backgrounds, the one with the lowest contrast. */
export const LIGHT_TINT = '#eceae4';
export const DARK_TINT = '#2a2b2e';

/** An image under `/assets/`. */
export interface Logo {
  name: string;
}

export interface Brand {
  /** The custom properties of the style sheets, see `accentShades`, and the two for the camera, which is always dark. */
  style: string;
  /** The logo's alternative text, or the text that replaces the logo; "" for none. */
  name: string;
  logo: Logo | undefined;
}

export interface BrandConfig {
  brandAccent: string;
  brandName: string;
  brandLogo: Logo | undefined;
}

/**
 * Returns the reason to reject an accent colour; undefined when the colour is visible on a white page. Other uses have
 * a darker or lighter shade.
 */
export function accentFault(colour: string, example: string): string | undefined {
  if (!isColour(colour)) return `must be a colour such as ${example}`;
  const ratio = contrast(colour, LIGHT_GROUND);
  if (ratio >= LEAST_CONTRAST) return undefined;
  return `must be a darker colour: its contrast with white is ${ratio.toFixed(1)}:1, and at least ${LEAST_CONTRAST}:1 is needed`;
}

/** The colours that follow from an accent colour. */
export interface AccentShades {
  /** The background of the main button. */
  accent: string;
  /** The text on that background. */
  onAccent: string;
  /** Text in the accent colour on any of the page's backgrounds. */
  accentInk: string;
}

/** Returns the colours of a light page, with the accent unchanged, and of a dark page, with a lighter accent. */
export function accentShades(accent: string): Record<'light' | 'dark', AccentShades> {
  const onDark = lightened(accent, DARK_TINT, LEAST_OF_TEXT);
  return {
    light: { accent, onAccent: inkOn(accent), accentInk: darkened(accent, LIGHT_TINT, LEAST_OF_TEXT) },
    dark: { accent: onDark, onAccent: inkOn(onDark), accentInk: onDark },
  };
}

export function brandOf({ brandAccent, brandName, brandLogo }: BrandConfig): Brand {
  const { light, dark } = accentShades(brandAccent);
  const style = `:root{${properties(light)};--accent-dark:${dark.accent};--on-accent-dark:${dark.onAccent}}@media(prefers-color-scheme:dark){:root{${properties(dark)}}}`;
  return { style, name: brandName, logo: brandLogo };
}

const properties = ({ accent, onAccent, accentInk }: AccentShades): string =>
  `--accent:${accent};--on-accent:${onAccent};--accent-ink:${accentInk}`;

/** Returns the logo, or the name when there is no logo. */
export function brandMark({ name, logo }: Brand): Html | null {
  if (logo) return html`<img class="brand" src="/assets/${logo.name}" alt="${name}">`;
  return name ? html`<span class="brand">${name}</span>` : null;
}
