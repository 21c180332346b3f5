import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SHORT } from '@recording-request/fault-test/harness/durations';
import { builtImage, NAMES, TARGETS, type Tag } from '@recording-request/k8s/images/product';
import { type Manifest, parse, render } from '@recording-request/k8s/manifests';
import { BASE, PRODUCTION } from '@recording-request/k8s/repository';
import { OPERATOR, SERVICES } from '@recording-request/proto/callers';
import type { MachineCertificates } from '@recording-request/stack/certificates';
import { stringify } from 'yaml';
import { openedTo } from './network.ts';

export const NAMESPACE = 'recording-request';
/** The address of the gateway's Service. */
export const GATEWAY_ADDRESS = '10.96.0.80';
export const ORIGIN = `http://${GATEWAY_ADDRESS}`;

const SECRETS = ['MONGO_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'SPEECH_API_KEY', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'];

/** Settings of the fault suite that the lab leaves at their defaults; README.md lists the reasons for the others. */
const AS_IT_SHIPS = [
  'KAFKA_PARTITIONS',
  // In parts of 16 KB, an upload of 14 MB takes a minute, longer than a pod takes to stop.
  'UPLOAD_PART_BYTES',
  // No case waits for the end of a hold or of a hanging job.
  'UPLOAD_HOLD_SECONDS',
  'HOLD_RENEW_SECONDS',
  'CLAIM_HOLD_SECONDS',
  'CLAIM_EMPTY_HOLD_SECONDS',
  'MEDIA_JOB_SECONDS',
  'TRANSCRIPTION_JOB_SECONDS',
];

/** The values that differ between overlays. */
export interface OverlayOptions {
  /** The base; by default, the base of this version. */
  base?: string;
  tag?: Tag;
  settings?: Record<string, string>;
  namespace?: string;
  /** The folders of additional components. */
  components?: string[];
}

/** Renders an overlay in a folder of this name. */
export type Overlay = (name: string, options?: OverlayOptions) => Promise<Manifest[]>;

/** Renders the base for the lab, as an overlay in `folder`: with its images, its servers, and requests that fit on two processors. */
export async function renderOverlay(
  kustomize: string,
  folder: string,
  serversEnv: Record<string, string>,
  { base = BASE, tag = 'lab', settings: own = {}, namespace = NAMESPACE, components = [] }: OverlayOptions = {},
): Promise<Manifest[]> {
  await mkdir(folder, { recursive: true });
  const settings = labSettings(serversEnv, own);
  await writeFile(join(folder, 'settings.env'), linesOf(settings));
  return await rendered(kustomize, folder, tag, {
    namespace,
    resources: [relative(folder, base)],
    components: components.map(each => relative(folder, each)),
    configMapGenerator: [{ name: 'settings', behavior: 'merge', envs: ['settings.env'] }],
    patches: [...PATCHES, ...openedTo({ ...serversEnv, ...own })],
  });
}

/**
 * Returns the settings of an installation that override the base: the servers' addresses, durations of seconds, and
 * `own`.
 */
export function labSettings(serversEnv: Record<string, string>, own: Record<string, string>): Record<string, string> {
  const durations = Object.entries(SHORT).filter(([name]) => !AS_IT_SHIPS.includes(name));
  const others = Object.entries(serversEnv).filter(([name]) => !SECRETS.includes(name));
  return {
    ...Object.fromEntries(durations),
    ...Object.fromEntries(others),
    PUBLIC_BASE_URL: ORIGIN,
    // The address of the owner's endpoint is unused on the internet.
    ALLOW_HTTP_URLS: 'true',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...own,
  };
}

/** Renders the shipped production overlay. */
export const renderProduction = async (kustomize: string): Promise<Manifest[]> =>
  parse(await render({ kustomize }, PRODUCTION));

/** Renders the pod of the operator's commands. */
export async function renderOperator(kustomize: string, dir: string): Promise<Manifest[]> {
  const folder = join(dir, 'operator');
  await mkdir(folder, { recursive: true });
  return await rendered(kustomize, folder, 'lab', { resources: [relative(folder, join(BASE, '../admin'))] });
}

async function rendered(kustomize: string, folder: string, tag: Tag, more: object): Promise<Manifest[]> {
  const images = TARGETS.map(target => {
    const [newName, newTag] = builtImage(target, tag).split(':');
    return { name: NAMES[target], newName, newTag };
  });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: NAMESPACE,
    images,
    ...more,
  };
  await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
  return parse(await render({ kustomize }, folder));
}

const linesOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const CONTAINER = '/spec/template/spec/containers/0';
const patch = (path: string, value: unknown) => JSON.stringify([{ op: 'add', path, value }]);

const PATCHES = [
  { target: { kind: 'Service', name: 'gateway' }, patch: patch('/spec/clusterIP', GATEWAY_ADDRESS) },
  {
    target: { kind: 'Deployment' },
    patch: patch(`${CONTAINER}/resources/requests`, { cpu: '50m', memory: '128Mi' }),
  },
  {
    target: { kind: 'Deployment', name: 'gateway|projects|submissions' },
    patch: patch(`${CONTAINER}/resources/requests/cpu`, '150m'),
  },
  { target: { kind: 'HorizontalPodAutoscaler' }, patch: patch('/spec/maxReplicas', 2) },
];

/**
 * Returns the Secrets of an installation: credentials of the servers, a new key for sealing, and a certificate for each
 * service.
 */
export async function secretsOf(
  serversEnv: Record<string, string>,
  certificates: MachineCertificates,
): Promise<Manifest[]> {
  const credentials = Object.fromEntries(
    SECRETS.flatMap(name => (name in serversEnv ? [[name, serversEnv[name]!]] : [])),
  );
  const secretsKey = `k1:${randomBytes(32).toString('base64')}`;
  return [
    secret('recording-request', { ...credentials, SECRETS_KEY: secretsKey }),
    ...(await Promise.all(
      ([...SERVICES, OPERATOR] as const).map(async name =>
        secret(`tls-${name}`, await tlsFiles(certificates.env(name))),
      ),
    )),
  ];
}

export const secret = (name: string, stringData: Record<string, string>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: NAMESPACE },
  stringData,
});

/** Returns the keys of a service's TLS Secret, read from the files in its variables. */
export async function tlsFiles(env: Record<string, string>): Promise<Record<string, string>> {
  const text = async (name: string) => await readFile(env[name]!, 'utf8');
  return {
    'tls.crt': await text('TLS_CERT_FILE'),
    'tls.key': await text('TLS_KEY_FILE'),
    'ca.crt': await text('TLS_CA_FILE'),
  };
}
