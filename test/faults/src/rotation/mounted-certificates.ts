import { X509Certificate } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run } from '@recording-request/fixtures/run';
import { type Caller, OPERATOR, SERVICES } from '@recording-request/proto/callers';
import type { Random } from '@recording-request/stack/random';
import type { FleetCertificates } from '../harness/fleet.ts';

const MAKE = fileURLToPath(new URL('../../../../tools/stack/src/make-certificates.ts', import.meta.url));
const FILES = ['tls.crt', 'tls.key', 'ca.crt'] as const;

/** All holders of certificates. */
export const EVERYONE: readonly Caller[] = [...SERVICES, OPERATOR];

/** The holder of the files in a folder: one process or the operator. */
export interface Holder {
  name: Caller;
  index: number;
}

/** Certificates that are made in one folder and copied to each process's own folder. */
export interface MountedCertificates extends FleetCertificates {
  /** Runs `npm run certificates -- DIR` with these options. */
  make(...options: string[]): Promise<void>;
  /** Copies the files to the folder of one process, one by one in any order, with pauses of up to `pauseMs`. */
  mount(holder: Holder, random: Random, pauseMs: number): Promise<void>;
  /** Returns the current content of a process's files. */
  mounted(holder: Holder): Promise<{ serialNumber: string; authorities: string[] }>;
}

/** Makes the first certificates, and copies them to `count` processes of each service. */
export async function openMountedCertificates(
  dir: string,
  count: (name: Caller) => number,
): Promise<MountedCertificates> {
  const made = join(dir, 'made');
  const folder = ({ name, index }: Holder) => join(dir, 'mounted', `${name}-${index}`);
  const make = async (...options: string[]) => void (await run(process.execPath, [MAKE, made, ...options]));
  await make();
  for (const name of EVERYONE)
    for (let index = 0; index < count(name); index++) {
      await mkdir(folder({ name, index }), { recursive: true });
      for (const file of FILES) await copyFile(join(made, name, file), join(folder({ name, index }), file));
    }
  return {
    env(name, index = 0) {
      const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = FILES.map(file => join(folder({ name, index }), file)) as [
        string,
        string,
        string,
      ];
      return { INTERNAL_PLAINTEXT: 'false', TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE };
    },
    make,
    async mount(holder, random, pauseMs) {
      const order = FILES.map(file => ({ file, at: random.next() })).sort((a, b) => a.at - b.at);
      for (const { file } of order) {
        await delay(random.integer(0, pauseMs));
        await copyFile(join(made, holder.name, file), join(folder(holder), file));
      }
    },
    async mounted(holder) {
      const [cert, ca] = await Promise.all(
        ['tls.crt', 'ca.crt'].map(file => readFile(join(folder(holder), file), 'utf8')),
      );
      return { serialNumber: new X509Certificate(cert!).serialNumber, authorities: serialNumbersIn(ca!) };
    },
  };
}

const serialNumbersIn = (pem: string): string[] =>
  pem
    .split(/(?<=-----END CERTIFICATE-----)/)
    .filter(block => block.includes('BEGIN'))
    .map(block => new X509Certificate(block).serialNumber);
