import { contrast, inkOn, isColour, lightened } from './colour.ts';
import { type Html, html } from './html.ts';

// The operator's branding of the pages: an accent colour, a logo, a name.

/** The lowest contrast of a part with its background (WCAG 1.4.11). */
const LEAST_CONTRAST = 3;
const LIGHT_GROUND = '#ffffff';
/** The background of the recorder and the dashboard in a dark scheme. */
const DARK_GROUND = '#121518';

/** An image under `/assets/`. */
export interface Logo {
  name: string;
}

export interface Brand {
  /** The custom properties of the style sheets: `--accent`, `--on-accent`, and the same two for dark backgrounds. */
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
 * Returns the reason to reject an accent colour; undefined when the colour is visible on a white page. A dark page uses
 * a lighter shade.
 */
export function accentFault(colour: string, example: string): string | undefined {
  if (!isColour(colour)) return `must be a colour such as ${example}`;
  const ratio = contrast(colour, LIGHT_GROUND);
  if (ratio >= LEAST_CONTRAST) return undefined;
  return `must be a darker colour: its contrast with white is ${ratio.toFixed(1)}:1, and at least ${LEAST_CONTRAST}:1 is needed`;
}

export function brandOf({ brandAccent, brandName, brandLogo }: BrandConfig): Brand {
  const onDark = lightened(brandAccent, DARK_GROUND, LEAST_CONTRAST);
  const dark = `--accent-dark:${onDark};--on-accent-dark:${inkOn(onDark)}`;
  const style = `:root{--accent:${brandAccent};--on-accent:${inkOn(brandAccent)};${dark}}@media(prefers-color-scheme:dark){:root{--accent:${onDark};--on-accent:${inkOn(onDark)}}}`;
  return { style, name: brandName, logo: brandLogo };
}

/** Returns the logo, or the name when there is no logo. */
export function brandMark({ name, logo }: Brand): Html | null {
  if (logo) return html`<img class="brand" src="/assets/${logo.name}" alt="${name}">`;
  return name ? html`<span class="brand">${name}</span>` : null;
}
