import { readFileSync } from 'node:fs';

/** A program of `samples/`, as the documents show it. Tests run them. */
export const readSample = (name: string): string => readFileSync(new URL(`./samples/${name}`, import.meta.url), 'utf8');
