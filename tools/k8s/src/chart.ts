import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import type { ManifestTools } from './install.ts';
import { type Manifest, parse, render } from './manifests.ts';
import { BASE, LOCAL, OPERATORS, ROOT } from './repository.ts';
import { settingNames } from './settings.ts';

export const CHART = join(ROOT, 'deploy/chart');
/** The components that a chart's values can enable, by the name of their file in the chart. */
export const COMPONENTS = {
  backup: 'backup',
  'backup-bucket': 'backup-bucket',
  certificates: 'certificates',
  doctor: 'doctor',
  'edge-gateway-api': 'edge/gateway-api',
  'edge-ingress': 'edge/ingress',
  'scaling-cpu': 'scaling/cpu',
  'scaling-keda': 'scaling/keda',
  'scaling-keda-login': 'scaling/keda-login',
  'scaling-streams': 'scaling/streams',
} as const;

const NAMESPACE = 'recording-request';

type Kustomize = Pick<ManifestTools, 'kustomize'>;

/** Returns the text of each file with the chart's objects, by its name: the output of kustomize for `deploy/k8s`. */
async function chartFiles(tools: Kustomize): Promise<Map<string, string>> {
  const base = parse(await render(tools, BASE));
  const files = new Map<string, Manifest[]>([
    ['base', base],
    ['local', parse(await render(tools, LOCAL))],
  ]);
  const known = new Set(base.map(idOf));
  for (const [name, component] of Object.entries(COMPONENTS)) {
    const rendered = parse(
      await renderOverlay(tools, { resources: [BASE], components: [join(BASE, '..', component)] }),
    );
    files.set(
      name,
      rendered.filter(object => !known.has(idOf(object))),
    );
  }
  // In the chart, a value enables the overlay's certificates.
  const certificates = new Set(files.get('certificates')!.map(idOf));
  const operators = parse(await render(tools, OPERATORS));
  files.set(
    'operators',
    operators.filter(object => !certificates.has(idOf(object))),
  );
  return new Map([...files].map(([name, objects]) => [name, textOf(objects)]));
}

/** Writes the files of objects and of setting names in the chart in `folder`. */
export async function writeChartFiles(tools: Kustomize, folder: string): Promise<void> {
  const files = join(folder, 'files');
  await rm(files, { recursive: true, force: true });
  await mkdir(files, { recursive: true });
  for (const [name, text] of await chartFiles(tools)) await writeFile(join(files, `${name}.yaml`), text);
  await writeFile(join(files, 'settings.txt'), settingNames().join('\n'));
}

/** Copies the chart to `folder`, with the objects of this version. */
export async function copyChart(tools: Kustomize, folder: string): Promise<void> {
  await cp(CHART, folder, { recursive: true });
  await writeChartFiles(tools, folder);
}

/** Renders an overlay from these fields of a kustomization, whose paths are absolute. */
export async function renderOverlay(
  tools: Kustomize,
  {
    resources = [],
    components = [],
    ...more
  }: { resources?: string[]; components?: string[]; [field: string]: unknown },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rendered-'));
  try {
    // kustomize accepts no absolute path.
    const near = (paths: string[]) => paths.map(path => relative(folder, path));
    const kustomization = { resources: near(resources), components: near(components), ...more };
    await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return await render(tools, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the name of an object of a rendering, without the hash that kustomize adds to a generated ConfigMap or Secret. */
export const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${withoutHash(metadata.name)}`;

export const withoutHash = (name: string): string =>
  name.replace(/^(settings(?:-[a-z]+)?|recording-request)-[0-9a-z]{10}$/, '$1');

/**
 * Omits the product's Namespace, because the release has one, and removes the hashes from names. Helm reads YAML 1.1, where
 * `off` is false.
 */
function textOf(objects: Manifest[]): string {
  const kept = objects.filter(({ kind, metadata }) => kind !== 'Namespace' || metadata.name !== NAMESPACE);
  const text = kept.map(object => stringify(object, { lineWidth: 0, version: '1.1' })).join('---\n');
  return text.replace(/\b(settings(?:-[a-z]+)?|recording-request)-[0-9a-z]{10}\b/g, '$1');
}
