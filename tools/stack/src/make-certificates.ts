import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { uriOf } from '@recording-request/kit-rpc/internal/names';
import { OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { type Authority, makeAuthority } from './authority.ts';
import { writePrivate } from './secrets.ts';

const HELP = `npm run certificates -- DIR [--add-authority | --drop-authority]

Writes DIR/NAME/tls.crt, tls.key and ca.crt for each service and the operator, valid for a year, by the authority in
DIR/authority, which is made the first time. Run it again to replace them: services re-read their files while they run.
Keep DIR/authority where no service can read it.

To replace the authority, run these three in order. Copy the files to every service after each one:
  --add-authority    makes the next authority; each ca.crt contains it and the present one. No certificate changes.
  (neither)          writes certificates by the next authority. Each ca.crt still has both.
  --drop-authority   removes the previous authority from each ca.crt and deletes it. No certificate changes.
`;

export type Step = 'certificates' | 'add-authority' | 'drop-authority';

const DONE: Record<Step, string> = {
  certificates: 'new certificates are',
  'add-authority': 'each ca.crt contains the present and the next authority',
  'drop-authority': 'the previous authority no longer exists',
};

/** The requested step is not the next step. The message names the next step. */
export class WrongStep extends Error {}

/**
 * Replaces the certificates in `dir` with new certificates of the same authority, or changes the authorities in each
 * `ca.crt`.
 */
export async function makeDeployedCertificates(dir: string, step: Step = 'certificates'): Promise<void> {
  const [present, next] = [join(dir, 'authority'), join(dir, 'authority', 'next')];
  const issuedByNext = join(next, 'issued');
  if (step !== 'certificates' && !existsSync(join(present, 'ca.crt')))
    throw new WrongStep(`${dir} has no authority yet: run it without an option first.`);
  if (step === 'add-authority') await keptAuthority(next);
  if (step === 'drop-authority') {
    if (!existsSync(issuedByNext))
      throw new WrongStep(
        'The certificates were issued by the authority that this step removes: run --add-authority, copy each ca.crt to its service, then run it without an option.',
      );
    // Replaces one certificate at a time, so that a second run can complete an interrupted run.
    for (const file of ['ca.key', 'ca.crt'])
      if (existsSync(join(next, file))) await rename(join(next, file), join(present, file));
    await rm(next, { recursive: true });
  }
  const authorities = [await keptAuthority(present), ...(existsSync(next) ? [await keptAuthority(next)] : [])];
  for (const name of [...SERVICES, OPERATOR]) {
    const folder = join(dir, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writePrivate(join(folder, 'ca.crt'), authorities.map(({ cert }) => cert).join(''));
    if (step !== 'certificates') continue;
    const { cert, key } = await authorities.at(-1)!.issue([uriOf(name)]);
    await writePrivate(join(folder, 'tls.key'), key);
    await writePrivate(join(folder, 'tls.crt'), cert);
  }
  if (step === 'certificates' && authorities.length > 1) await writePrivate(issuedByNext, '');
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

async function main([dir, option, ...more]: string[]): Promise<void> {
  const step = option === undefined ? 'certificates' : option.slice(2);
  const isStep = step === 'certificates' || step === 'add-authority' || step === 'drop-authority';
  if (dir === '--help') return void process.stdout.write(HELP);
  if (!dir || dir.startsWith('-') || !isStep || more.length > 0) {
    process.stderr.write(HELP);
    process.exitCode = 2;
    return;
  }
  try {
    await makeDeployedCertificates(resolve(dir), step);
    process.stdout.write(`${DONE[step]} in ${dir}\n`);
  } catch (error) {
    if (!(error instanceof WrongStep) && (error as { code?: string }).code === undefined) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main(process.argv.slice(2));
