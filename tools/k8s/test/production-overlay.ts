import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse as parseYaml, stringify } from 'yaml';
import { fillIn } from '../src/filled-in.ts';
import { render } from '../src/manifests.ts';
import { ROOT } from '../src/repository.ts';

interface Changes {
  scaling?: string;
  settings?: string[];
  patches?: object[];
  components?: string[];
  configMapGenerator?: object[];
  /** More files beside its kustomization. */
  files?: Record<string, string>;
  /** The components of a second overlay that includes this overlay. */
  outer?: string[];
  /** The patches of that second overlay. */
  outerPatches?: object[];
}

/** Renders an operator's copy of the production overlay: with another scaling component, more settings, patches and components. */
export async function productionOverlay(
  tools: { kustomize: string },
  {
    scaling = 'scaling/keda',
    settings = [],
    patches = [],
    components = [],
    configMapGenerator = [],
    files = {},
    outer = [],
    outerPatches = [],
  }: Changes = {},
): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const folder = join(dir.path, 'overlays/production');
  await fillIn(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const file = join(folder, 'kustomization.yaml');
  const own = parseYaml(await readFile(file, 'utf8'));
  const shipped = own.components.map((each: string) => each.replace(/scaling\/keda$/, scaling));
  own.components = [...shipped, ...components];
  own.configMapGenerator[0].literals = settings;
  own.configMapGenerator.push(...configMapGenerator);
  own.patches = [...patches, ...own.patches];
  await writeFile(file, stringify(own));
  if (outer.length === 0) return await render(tools, folder);
  const around = join(dir.path, 'overlays/around');
  await mkdir(around);
  const resources = ['../production'];
  await writeFile(
    join(around, 'kustomization.yaml'),
    stringify({ resources, components: outer, patches: outerPatches }),
  );
  return await render(tools, around);
}
