import { readFileSync } from 'node:fs';

/** Returns a program of `samples/` for the documents. Tests run these programs. */
export const readSample = (name: string): string => readFileSync(new URL(`./samples/${name}`, import.meta.url), 'utf8');

/** Returns a program as a block of Markdown with its name. */
export const sampleBlock = (language: string, name: string): string =>
  `\`\`\`${language} ${name}\n${readSample(name)}\`\`\`\n`;
