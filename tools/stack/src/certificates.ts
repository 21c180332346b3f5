import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { uriOf } from '@recording-request/kit-rpc/internal/names';
import { type Caller, OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { type Authority, makeAuthority } from './authority.ts';
import { writePrivate } from './secrets.ts';

/**
 * The certificate files of the services on this machine. The services use them to authenticate each other and the
 * operator.
 */
export interface MachineCertificates {
  authority: Authority;
  /** Returns the variables that name the files of a service; for the operator, the variables of `npm run admin`. */
  env(name: Caller): Record<string, string>;
  /**
   * Writes a certificate of the same authority as `<file>.pem` and `<file>.key`. Returns the variables that name these
   * files.
   */
  issue(file: string, names: readonly string[], options?: { expired?: boolean }): Promise<Record<string, string>>;
  /** Replaces all certificates with new ones of the same authority. */
  renew(): Promise<void>;
}

const EVERYONE: readonly Caller[] = [...SERVICES, OPERATOR];

/** Writes the certificates to `dir` with mode 600. The certificate authority exists as long as this process. */
export async function makeCertificates(dir: string): Promise<MachineCertificates> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const authority = await makeAuthority();
  await writePrivate(join(dir, 'ca.pem'), authority.cert);
  const issue: MachineCertificates['issue'] = async (file, names, options) => {
    const { cert, key } = await authority.issue(names.map(uriOf), options);
    await writePrivate(join(dir, `${file}.key`), key);
    await writePrivate(join(dir, `${file}.pem`), cert);
    return certificateEnv(dir, file);
  };
  const renew = async () => void (await Promise.all(EVERYONE.map(name => issue(name, [name]))));
  await renew();
  return { authority, env: name => certificateEnv(dir, name), issue, renew };
}

const certificateEnv = (dir: string, name: string): Record<string, string> => ({
  INTERNAL_PLAINTEXT: 'false',
  TLS_CERT_FILE: join(dir, `${name}.pem`),
  TLS_KEY_FILE: join(dir, `${name}.key`),
  TLS_CA_FILE: join(dir, 'ca.pem'),
});
