import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { uriOf } from '@recording-request/kit/internal/names';
import { OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { type Authority, makeAuthority } from './authority.ts';
import { writePrivate } from './secrets.ts';

const HELP = `npm run certificates -- DIR

Writes DIR/NAME/tls.crt, tls.key and ca.crt for each service and the operator, valid for a year, by the authority in
DIR/authority, which is made the first time. Run it again to replace them: services re-read their files while they run.
Keep DIR/authority where no service can read it.
`;

/** Replaces the certificates in `dir` by new ones of its authority. */
export async function makeDeployedCertificates(dir: string): Promise<void> {
  const authority = await keptAuthority(join(dir, 'authority'));
  for (const name of [...SERVICES, OPERATOR]) {
    const { cert, key } = await authority.issue([uriOf(name)]);
    await mkdir(join(dir, name), { recursive: true, mode: 0o700 });
    await writePrivate(join(dir, name, 'ca.crt'), authority.cert);
    await writePrivate(join(dir, name, 'tls.key'), key);
    await writePrivate(join(dir, name, 'tls.crt'), cert);
  }
}

async function keptAuthority(dir: string): Promise<Authority> {
  const [certFile, keyFile] = [join(dir, 'ca.crt'), join(dir, 'ca.key')];
  if (existsSync(certFile))
    return await makeAuthority({ cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') });
  const authority = await makeAuthority();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writePrivate(keyFile, await authority.key());
  await writePrivate(certFile, authority.cert);
  return authority;
}

if (import.meta.main) {
  const [dir] = process.argv.slice(2);
  if (!dir || dir.startsWith('-')) process.stdout.write(HELP);
  else await makeDeployedCertificates(resolve(dir));
}
