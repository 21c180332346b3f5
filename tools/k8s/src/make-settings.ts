import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';
import { settingNames, settingsDocument } from './settings.ts';

const HELP = `npm run settings

Writes docs/settings.md, and the names of all variables for npm run admin, from the services' declarations.
`;
if (process.argv.slice(2).some(each => each === '--help' || each === '-h')) {
  process.stdout.write(HELP);
  process.exit(0);
}

await writeFile(join(ROOT, 'docs/settings.md'), settingsDocument());
await writeFile(join(ROOT, 'tools/admin/src/setting-names.json'), `${JSON.stringify(settingNames(), null, 2)}\n`);
process.stdout.write('docs/settings.md and tools/admin/src/setting-names.json are up to date\n');
