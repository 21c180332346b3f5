import { contrast, inkOn, isColour, lightened } from './colour.ts';
import { type Html, html } from './html.ts';

// What the operator makes the pages their own with: one accent, a logo, a name.

/** The contrast that a part needs to stand out from its ground (WCAG 1.4.11). */
const LEAST_CONTRAST = 3;
const LIGHT_GROUND = '#ffffff';
/** Of the recorder and the dashboard in a dark scheme. */
const DARK_GROUND = '#121518';

/** An image under `/assets/`. */
export interface Logo {
  name: string;
}

export interface Brand {
  /** The custom properties that the style sheets use: `--accent`, `--on-accent`, and the two for dark grounds. */
  style: string;
  /** Shown with the logo as its alternative text, or in its place; "" for none. */
  name: string;
  logo: Logo | undefined;
}

export interface BrandConfig {
  brandAccent: string;
  brandName: string;
  brandLogo: Logo | undefined;
}

/** Returns why a colour does not do as the accent; undefined when it stands out from a white page. On a dark one a lighter shade of it is used. */
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

/** The logo, or the name where there is none. */
export function brandMark({ name, logo }: Brand): Html | null {
  if (logo) return html`<img class="brand" src="/assets/${logo.name}" alt="${name}">`;
  return name ? html`<span class="brand">${name}</span>` : null;
}
