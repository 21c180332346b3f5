import { contrast, darkened, inkOn, isColour, lightened } from './colour.ts';
import { type Html, html } from './html.ts';

// The branding of the pages, by the operator and by owners: an accent colour, a logo, a name.

/** The lowest contrast of a part with its background (WCAG 1.4.11). */
const LEAST_CONTRAST = 3;
const LIGHT_GROUND = '#ffffff';
/** The lowest contrast of a text with its background (WCAG 1.4.3). */
const LEAST_OF_TEXT = 4.5;
/** The value of `--tint` in tokens.css: of all backgrounds, the one with the lowest contrast. */
export const LIGHT_TINT = '#eceae4';
export const DARK_TINT = '#2a2b2e';

/** An image under `/assets/`. */
interface LogoFile {
  name: string;
}

export interface Brand {
  /** The custom properties of the style sheets, see `accentShades`, and the two for the camera, which is always dark. */
  style: string;
  /** The logo's alternative text, or the text that replaces the logo; "" for none. */
  name: string;
  /** The address of the logo. */
  logo: string | undefined;
  /** The owner's name; "" without one. Then `name` may be the operator's. */
  owner: string;
}

export interface BrandConfig {
  brandAccent: string;
  brandName: string;
  brandLogo: LogoFile | undefined;
}

/** The brand of an owner; "" for what is not set. */
export interface OwnerBrand {
  name: string;
  accent: string;
  /** The address of the logo. */
  logo: string | undefined;
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
  return { style: styleOf(brandAccent), name: brandName, logo: brandLogo && `/assets/${brandLogo.name}`, owner: '' };
}

/**
 * Returns the brand of an owner's pages. The operator's colour and mark replace what the owner leaves out; an owner with a
 * name or a logo is never shown with the operator's.
 */
export function ownersBrand(operator: Brand, { name, accent, logo }: OwnerBrand): Brand {
  const mark = name || logo ? { name, logo } : { name: operator.name, logo: operator.logo };
  return { style: accent ? styleOf(accent) : operator.style, ...mark, owner: name };
}

function styleOf(accent: string): string {
  const { light, dark } = accentShades(accent);
  return `:root{${properties(light)};--accent-dark:${dark.accent};--on-accent-dark:${dark.onAccent}}@media(prefers-color-scheme:dark){:root{${properties(dark)}}}`;
}

const properties = ({ accent, onAccent, accentInk }: AccentShades): string =>
  `--accent:${accent};--on-accent:${onAccent};--accent-ink:${accentInk}`;

/** Returns the logo, or the name when there is no logo. */
export function brandMark({ name, logo }: Brand): Html | null {
  if (logo) return html`<img class="brand" src="${logo}" alt="${name}">`;
  return name ? html`<span class="brand">${name}</span>` : null;
}
