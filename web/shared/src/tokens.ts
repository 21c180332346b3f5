import { readFileSync } from 'node:fs';

/** The tokens as a style sheet, for a page that is not built by `build.ts`. */
export const tokenStyle: string = readFileSync(new URL('./browser/tokens.css', import.meta.url), 'utf8');
