import { type Manifest, podOf } from '../manifests.ts';
import { variablesRead } from './configuration.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, listed, note, type Part } from './finding.ts';
import { knownKeys } from './secrets.ts';

const SECRET = 'servers-ca';

/**
 * The variables that name an authority for a server with TLS, by the key that the documentation uses for the server.
 */
const SERVERS: Readonly<Record<string, { variable: string; hasTls(values: Record<string, string>): boolean }>> = {
  'kafka.crt': { variable: 'KAFKA_CA_FILE', hasTls: ({ KAFKA_TLS }) => KAFKA_TLS === 'true' },
  's3.crt': { variable: 'S3_CA_FILE', hasTls: ({ S3_ENDPOINT = '' }) => S3_ENDPOINT.startsWith('https:') },
};

/**
 * Checks the authorities in the Secret `servers-ca`. Returns a fault if a program lacks the setting that names the
 * authority of its server with TLS, and a note with the other authorities that no setting names.
 */
export async function authorityFindings(programs: Program[], all: Manifest[]): Promise<Finding[]> {
  const sentences = new Set<string>();
  const [named, provided] = [new Set<string>(), new Set<string>()];
  for (const { name, object, container, values, lacksSettings } of programs) {
    const volume = podOf(object)!.spec.volumes?.find(({ secret }: Part) => secret?.secretName === SECRET);
    const mount = container.volumeMounts?.find((each: Part) => volume && each.name === volume.name);
    const keys = knownKeys(SECRET, object.metadata.namespace, all);
    if (!mount || !keys || lacksSettings || volume.secret.items || mount.subPath) continue;
    const read = await variablesRead(name);
    for (const value of Object.values(values)) named.add(value);
    for (const key of keys) {
      const path = `${mount.mountPath}/${key}`;
      provided.add(path);
      const { variable, hasTls } = SERVERS[key] ?? {};
      if (!variable || !read.has(variable) || values[variable] || !hasTls!(values)) continue;
      if (values.NODE_EXTRA_CA_CERTS === path) continue;
      named.add(path);
      sentences.add(
        `${variable} is not set, but the Secret ${SECRET} has the key ${key}: set ${variable}=${path}, or remove the key.`,
      );
    }
  }
  const unused = [...provided].filter(path => !named.has(path));
  const words = `no setting names ${listed(unused)}, which the Secret ${SECRET} has: no service uses ${unused.length > 1 ? 'these authorities' : 'this authority'}.`;
  return [...[...sentences].map(fault), ...(unused.length > 0 ? [note(words)] : [])];
}
