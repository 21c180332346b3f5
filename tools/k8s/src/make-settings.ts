import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';
import { settingsDocument } from './settings.ts';

await writeFile(join(ROOT, 'docs/settings.md'), settingsDocument());
process.stdout.write('docs/settings.md is up to date\n');
