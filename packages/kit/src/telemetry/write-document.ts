import { writeFile } from 'node:fs/promises';
import { metricsDocument } from './document.ts';

await writeFile(new URL('../../../../docs/metrics.md', import.meta.url), metricsDocument());
process.stdout.write('docs/metrics.md is up to date\n');
