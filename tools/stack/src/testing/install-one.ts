// cache.test.ts runs this file as a process. The process installs a part that is ready when the file `go` appears, and
// prints which process filled the part's folder.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../files.ts';
import { installOnce } from '../install/cache.ts';
import { waitFor } from '../wait.ts';

const root = process.argv[2]!;
const place = await installOnce({
  root,
  name: 'thing-1.0',
  log: line => console.log(line),
  fill: async dir => {
    await writeFile(join(dir, 'half'), String(process.pid));
    await appendFile(join(root, 'fills'), `${process.pid}\n`);
    console.log('filling');
    await waitFor('go', async () => ((await exists(join(root, 'go'))) ? true : undefined), { timeoutMs: 30_000 });
    await writeFile(join(dir, 'whole'), String(process.pid));
  },
});
console.log(`installed ${place}`);
