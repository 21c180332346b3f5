import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const SPECIFIER = /\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g;
const PROGRAM = /\/docs\/samples\//;
const SCOPE = '@recording-request/';

/** The files that each source file of the repository imports; paths are relative to its root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the imports of every source file under `root`. Includes type imports. Excludes imports of npm packages, and the
 * imports of the programs in the docs, because integrators use those programs.
 */
export async function readImportGraph(root: string): Promise<ImportGraph> {
  const workspaces = await readWorkspaces(root);
  const graph = new Map<string, string[]>();
  for await (const file of sourceFiles(root, '{packages,web,clients,services,tools,test}/**/*.{ts,mjs}')) {
    const text = PROGRAM.test(file) ? '' : await readFile(join(root, file), 'utf8');
    const targets = [...text.matchAll(SPECIFIER)].map(([, from, dynamic]) =>
      resolveSpecifier(from ?? dynamic!, file, workspaces),
    );
    graph.set(
      file,
      targets.filter(target => target !== undefined),
    );
  }
  return graph;
}

/** Returns the files in `starts` that `isWanted` accepts, or that directly or indirectly import an accepted file. */
export function reaching(graph: ImportGraph, starts: readonly string[], isWanted: (file: string) => boolean): string[] {
  return starts.filter(start => {
    const seen = new Set([start]);
    for (const file of seen) {
      if (isWanted(file)) return true;
      for (const target of graph.get(file) ?? []) seen.add(target);
    }
    return false;
  });
}

/** For the name of each workspace: its folder, the pattern of the files that its package.json exports, and its own names. */
type Workspaces = ReadonlyMap<string, { folder: string; pattern: string; own: Record<string, string> }>;

async function readWorkspaces(root: string): Promise<Workspaces> {
  const workspaces = new Map<string, { folder: string; pattern: string; own: Record<string, string> }>();
  for await (const file of sourceFiles(root, '{proto,{packages,web,clients,services,tools,test}/*}/package.json')) {
    const { name, exports = {}, imports = {} } = JSON.parse(await readFile(join(root, file), 'utf8'));
    workspaces.set(name, { folder: dirname(file), pattern: exports['./*'] ?? './*', own: imports });
  }
  return workspaces;
}

function resolveSpecifier(specifier: string, importer: string, workspaces: Workspaces): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  if (specifier.startsWith('#')) {
    const home = [...workspaces.values()].find(({ folder }) => importer.startsWith(`${folder}/`));
    const target = home?.own[specifier];
    return target && resolveSpecifier(target, importer, workspaces);
  }
  if (!specifier.startsWith(SCOPE)) return undefined;
  const [scope, name, ...rest] = specifier.split('/');
  const workspace = workspaces.get(`${scope}/${name}`);
  return workspace && join(workspace.folder, workspace.pattern.replace('*', rest.join('/')));
}

const sourceFiles = (root: string, pattern: string): AsyncIterable<string> =>
  glob(pattern, { cwd: root, exclude: name => name.endsWith('node_modules') });
