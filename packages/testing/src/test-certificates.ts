import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MachineCertificates, makeCertificates } from '@recording-request/stack/certificates';
import { SERVICES } from '@recording-request/stack/service-plan';

let made: Promise<MachineCertificates> | undefined;

/**
 * Returns the certificates of this process's services. The first call makes them; the end of the process removes their files.
 */
export function testCertificates(): Promise<MachineCertificates> {
  made ??= make();
  return made;
}

async function make(): Promise<MachineCertificates> {
  const dir = mkdtempSync(join(tmpdir(), 'recording-request-tls-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return await makeCertificates(dir);
}

/** Returns the variables of a certificate that names every service, for a server that fakes all services. */
export const everyServiceEnv = async (): Promise<Record<string, string>> =>
  await (await testCertificates()).issue('every-service', SERVICES);
