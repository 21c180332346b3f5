import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';
import { settingNames, settingsDocument } from './settings.ts';

await writeFile(join(ROOT, 'docs/settings.md'), settingsDocument());
await writeFile(join(ROOT, 'tools/admin/src/setting-names.json'), `${JSON.stringify(settingNames(), null, 2)}\n`);
process.stdout.write('docs/settings.md and tools/admin/src/setting-names.json are up to date\n');
