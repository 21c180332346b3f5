import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificates } from '@recording-request/stack/certificates';
import { ALL, secretsAmong } from '../settings.ts';

/** The names of all variables that are secrets. */
export const SECRETS = new Set(secretsAmong(ALL));

/** Valid values for secrets that only the cluster knows. */
const VALUES: Readonly<Record<string, string>> = {
  MONGO_URL: 'mongodb://stand-in:stand-in@stand-in:27017/?replicaSet=rs0',
  SECRETS_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  REDIS_URL: 'rediss://stand-in:6379',
};
const OTHER = 'stand-in-of-32-letters-or-longer';

/** Returns a valid value for a variable whose value only the cluster knows. */
export const standIn = (variable: string): string =>
  VALUES[variable] ?? (variable.endsWith('_HEADERS') ? 'stand=in' : OTHER);

/** Returns whether a variable names a file of the container. */
export const isFile = (variable: string): boolean =>
  /_FILE$/.test(variable) || /^OTEL_EXPORTER_OTLP_(?:\w+_)?(?:CERTIFICATE|CLIENT_KEY)$/.test(variable);

/** Returns a function that returns a valid file in `dir` for each variable that names a file of the container. */
export async function openStandInFiles(dir: string): Promise<(variable: string) => string> {
  const certificates = await makeCertificates(dir);
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = certificates.env('projects');
  const logo = join(dir, 'logo.svg');
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  for (const name of SECRETS) await writeFile(join(dir, name), standIn(name));
  return variable => {
    const secret = variable.replace(/_FILE$/, '');
    if (SECRETS.has(secret)) return join(dir, secret);
    if (variable === 'BRAND_LOGO_FILE') return logo;
    if (/_(?:CLIENT_)?KEY(?:_FILE)?$/.test(variable)) return TLS_KEY_FILE!;
    return /_CERT_FILE$|CLIENT_CERTIFICATE$/.test(variable) ? TLS_CERT_FILE! : TLS_CA_FILE!;
  };
}
