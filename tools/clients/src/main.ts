import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { parseFlags, TEXT } from '@recording-request/harness/options';
import { generatedFiles } from './generated.ts';
import { CLIENTS, packClient } from './pack.ts';
import { writeReference } from './reference.ts';

const HELP = `npm run clients [-- [--pack DIR] [--reference DIR] [--help]]

Writes the generated files of clients/typescript/src: the types from the OpenAPI description that the gateway serves, and the
values of Error-Code.

  --pack DIR        instead compiles the clients and packs them into DIR, for npm install or npm publish
  --reference DIR   instead writes the API reference of the TypeScript client into DIR, as HTML
`;

await runCommand({
  help: HELP,
  parse: args => parseFlags(args, { pack: TEXT, reference: TEXT }),
  async run({ pack, reference }) {
    if (pack !== undefined) {
      await mkdir(pack, { recursive: true });
      for (const client of CLIENTS) print(await packClient(client, resolve(pack)));
    }
    if (reference !== undefined) await writeReference(resolve(reference));
    if (pack !== undefined || reference !== undefined) return;
    for (const { file, text } of await generatedFiles()) {
      await writeFile(file, text);
      print(`${file.pathname.split('/').at(-1)} is up to date`);
    }
  },
});
