import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OPERATOR } from '@recording-request/proto/callers';
import type { Random } from '@recording-request/stack/random';
import { readJson } from '@recording-request/stack/secrets';
import { waitFor } from '@recording-request/stack/wait';
import type { CasePlan, FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { isAccepted, startConnectionProbes } from '../rotation/knocking.ts';
import { type Holder, type MountedCertificates, openMountedCertificates } from '../rotation/mounted-certificates.ts';
import { readOn } from './rolling-restart.ts';

const ADMIN = fileURLToPath(new URL('../../../../tools/admin/src/main.ts', import.meta.url));
// A service checks its files every five seconds.
const READ_MS = 60_000;
const ADMIN_MS = 120_000;
const PAUSE_MS = 8_000;
const SHORT_PAUSE_MS = 2_500;
// A process reads SECRETS_KEY only at its start, so the test replaces the processes one by one.
const PROCESSES = { projects: 2 };
const SEALING = ['projects', 'webhooks'] as const;
// Omits the archive, because requesting it keeps the uploads for a day.
const PATHS = ['', '/links', '/submissions', '/export.csv'];
const countOf = (name: string) => (name === 'projects' ? PROCESSES.projects : 1);

export const rotation: FaultCase = {
  name: 'rotation',
  promise:
    'Under load every certificate is replaced file by file, then the authority, then SECRETS_KEY: no request fails, and older sealed data stays readable',
  bounded: false,
  harness: {
    processes: PROCESSES,
    certificates: dir => openMountedCertificates(dir, countOf),
  },
  async run(harness, plan) {
    await harness.projects();
    const key = randomUUID();
    const remembered = await createOnce(harness, key);
    const rotating = async () => {
      await rotateCertificates(harness, plan);
      await rotateKeys(harness);
    };
    const probes = await startConnectionProbes(harness);
    await underLoad(harness, plan, rotating).finally(() => probes[Symbol.asyncDispose]());
    if ((await createOnce(harness, key)) !== remembered)
      harness.violated('a creation repeated with its Idempotency-Key got another answer after the rotation');
    await admin(harness, 'check');
    harness.noted(`${probes.count} calls over new connections`);
    for (const { at, what } of harness.gateway.incidents)
      harness.violated(`a request failed (${at.toISOString()}): ${what}`);
  },
};

/** Sends takes and reads until `change` is done. */
async function underLoad(
  harness: Harness,
  { random, submissions, signal }: CasePlan,
  change: () => Promise<void>,
): Promise<void> {
  let changing = true;
  const isOn = () => changing && !signal.aborted;
  const changed = change().finally(() => {
    changing = false;
  });
  // Rejections are handled below, after the load.
  changed.catch(() => {});
  const reading = readOn(harness, isOn, PATHS);
  for (let sent = 0; !signal.aborted && (changing || sent < submissions); )
    sent += (await harness.load(4, random.fork(`load ${sent}`), { width: 2, speech: 0.25 })).length;
  await Promise.all([changed, reading]);
}

async function rotateCertificates(harness: Harness, { random, short }: CasePlan): Promise<void> {
  const certificates = harness.fleet.certificates as MountedCertificates;
  const pauseMs = short ? SHORT_PAUSE_MS : PAUSE_MS;
  const step = async (name: string, ...options: string[]) => {
    await certificates.make(...options);
    await mountAll(harness, certificates, random.fork(name), pauseMs);
    await admin(harness, 'users', 'list');
    await harness.owner.create();
  };
  await step('certificates of the same authority');
  const before = join(harness.dataDir, 'tls', 'operator-before');
  await cp(join(certificates.env(OPERATOR).TLS_CERT_FILE!, '..'), before, { recursive: true });
  await step('both authorities', '--add-authority');
  await step('certificates of the next authority');
  await step('the next authority alone', '--drop-authority');
  const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = ['tls.crt', 'tls.key', 'ca.crt'].map(file =>
    join(before, file),
  ) as [string, string, string];
  for (const { service, operator } of harness.fleet.all())
    if (operator && (await isAccepted({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE }, service, operator)))
      harness.violated(`${service} still accepts a certificate of the dropped authority`);
}

/** Copies the certificates to every process. Waits until each process logs that it has read them. */
async function mountAll(
  { fleet, dataDir }: Harness,
  certificates: MountedCertificates,
  random: Random,
  pauseMs: number,
): Promise<void> {
  const holders: Holder[] = fleet.all().map(({ service, index }) => ({ name: service, index }));
  const mount = (holder: Holder) => certificates.mount(holder, random.fork(`${holder.name} ${holder.index}`), pauseMs);
  await Promise.all([...holders, { name: OPERATOR, index: 0 } as Holder].map(mount));
  for (const holder of holders) {
    const name = `${holder.name}-${holder.index}`;
    const wanted = await certificates.mounted(holder);
    const hasRead = async () => {
      const text = await readFile(join(dataDir, 'logs', `${name}.log`), 'utf8');
      const last = text.split('\n').findLast(line => line.includes('The certificate was replaced:'));
      const { serialNumber, authorities } = JSON.parse(last ?? '{}');
      return (serialNumber === wanted.serialNumber && `${authorities}` === `${wanted.authorities}`) || undefined;
    };
    await waitFor(`${name} to use its new certificates`, hasRead, { timeoutMs: READ_MS });
  }
}

async function rotateKeys(harness: Harness): Promise<void> {
  const old = (await readJson<string>(join(harness.dataDir, 'secrets-key.json')))!;
  const next = `k2:${randomBytes(32).toString('base64')}`;
  for (const ring of [`${old},${next}`, `${next},${old}`]) await rollOut(harness, ring);
  const output = await admin(harness, 'reseal');
  harness.noted(`reseal: ${output.trim().replaceAll('\n', ', ')}`);
  for (const service of SEALING)
    if (!output.includes(`${service}: can leave SECRETS_KEY: k1`))
      harness.violated(`reseal did not report that k1 can leave ${service}: ${output}`);
  await rollOut(harness, next);
}

async function rollOut({ fleet, owner }: Harness, ring: string): Promise<void> {
  for (const service of SEALING) {
    fleet.reconfigure(service, { SECRETS_KEY: ring });
    for (const process of fleet.of(service)) {
      await fleet.stop(process);
      await fleet.start(process);
      // Seals data with the first key of either process.
      await owner.create();
    }
  }
}

/** Creates a project. The same key must return the same HTTP response, which is stored sealed because it contains tokens. */
async function createOnce({ owner }: Harness, key: string): Promise<string> {
  const headers = { 'idempotency-key': key };
  const json = { projectName: 'Rotation', count: 3 };
  const answer = await owner.ask('/api/projects', { method: 'POST', json, headers });
  return answer.bytes.toString();
}

/** Runs the operator's command line with the operator's current certificate. Rejects with its output when it fails. */
async function admin({ fleet }: Harness, ...words: string[]): Promise<string> {
  const env = { ...process.env, ...fleet.operatorEnv() };
  return (await promisify(execFile)(process.execPath, [ADMIN, ...words], { env, timeout: ADMIN_MS })).stdout;
}
