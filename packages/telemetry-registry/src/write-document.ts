import { writeFile } from 'node:fs/promises';
import { metricsDocument } from './document.ts';
import { spansDocument } from './spans-document.ts';

const HELP = `npm run metrics

Writes docs/metrics.md and docs/spans.md from the registry of metrics and spans in packages/telemetry-registry/src.
`;
if (process.argv.slice(2).some(each => each === '--help' || each === '-h')) {
  process.stdout.write(HELP);
  process.exit(0);
}

for (const [name, text] of [
  ['metrics', metricsDocument()],
  ['spans', spansDocument()],
]) {
  await writeFile(new URL(`../../../docs/${name}.md`, import.meta.url), text!);
  process.stdout.write(`docs/${name}.md is up to date\n`);
}
