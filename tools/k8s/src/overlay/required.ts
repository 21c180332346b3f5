import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Part } from './finding.ts';
import { type Kustomization, readKustomizations, readReplacements } from './kustomization.ts';

/**
 * Returns a sentence for each value that required.yaml reads and an overlay lacks. kustomize itself fails at the first
 * one.
 */
export async function missingValues(folder: string): Promise<string[]> {
  const kustomizations = await readKustomizations(folder);
  const own = kustomizations.at(-1);
  if (!own) return [];
  const replacements = await readReplacements(own.fields.replacements, own.folder);
  const [settings, installation] = [await settingsOf(kustomizations), await installationOf(own)];
  const missing = replacements.flatMap(({ source = {} }) => {
    const path: string = source.fieldPath ?? '';
    if (source.kind === 'ConfigMap' && source.name === 'settings') {
      const name = path.replace(/^data\./, '');
      return settings.has(name) ? [] : [`${name} is missing: add it to settings.env.`];
    }
    if (source.kind !== 'Installation') return [];
    const value = path.split('.').reduce((part: Part, field) => part?.[field], installation);
    return value === undefined || value?.length === 0 ? [`${path} is missing: add it to installation.yaml.`] : [];
  });
  return [...new Set(missing)];
}

/** Returns the names in all generators of the ConfigMap `settings`. */
async function settingsOf(kustomizations: Kustomization[]): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { fields, folder } of kustomizations)
    for (const { name, literals = [], envs = [] } of fields.configMapGenerator ?? []) {
      if (name !== 'settings') continue;
      const texts = await Promise.all(envs.map((file: string) => readFile(join(folder, file), 'utf8')));
      for (const line of [...literals, ...texts.join('\n').split('\n')])
        if (/^\w+=./.test(line.trim())) names.add(line.trim().split('=')[0]);
    }
  return names;
}

async function installationOf({ resources }: Kustomization): Promise<Part> {
  const files = resources.filter(path => /\.ya?ml$/.test(path));
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8')));
  const documents = texts.flatMap(text => parseAllDocuments(text).map(each => each.toJS()));
  return documents.find(each => each?.kind === 'Installation');
}
