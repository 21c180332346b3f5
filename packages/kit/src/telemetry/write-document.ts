import { writeFile } from 'node:fs/promises';
import { metricsDocument } from './document.ts';
import { spansDocument } from './spans-document.ts';

for (const [name, text] of [
  ['metrics', metricsDocument()],
  ['spans', spansDocument()],
]) {
  await writeFile(new URL(`../../../../docs/${name}.md`, import.meta.url), text!);
  process.stdout.write(`docs/${name}.md is up to date\n`);
}
