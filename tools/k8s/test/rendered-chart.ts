import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { stringify } from 'yaml';
import { CHART, copyChart, withoutHash } from '../src/chart.ts';
import { filledIn } from '../src/filled-in.ts';
import { type Manifest, parse, podOf } from '../src/manifests.ts';

const runFile = promisify(execFile);
const NAMESPACE = 'recording-request';
/** The example of production. A rendered chart gets a copy without placeholders. */
export const EXAMPLE = join(CHART, 'values.production.example.yaml');

/** A copy of the chart, with the objects that `npm run chart` writes. */
export interface RenderedChart extends AsyncDisposable {
  /** Returns Helm's output. `values` override the values in the files. */
  template(values: object, ...files: string[]): Promise<string>;
  /** Returns Helm's error for invalid values. */
  refusal(values: object, ...files: string[]): Promise<string>;
}

/** Returns whether Helm creates the object before the release. */
export const isHook = ({ metadata }: Manifest): boolean => metadata.annotations?.['helm.sh/hook'] !== undefined;

/**
 * Returns a value for a comparison: without the names that only Helm sets, without the hashes of generated names, and
 * with sorted lists of named items.
 */
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, each) => {
    if (typeof each === 'string')
      return withoutHash(each.replace(/^migrate-settings$/, 'settings').replace(/^(brand)-[0-9a-z]{10}$/, '$1'));
    return Array.isArray(each) && each[0]?.name ? each.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : each;
  });

/** Returns the pods of a chart or an overlay by the names of their workloads, with their settings and the roles of their accounts. */
export function podsOf(text: string): Record<string, unknown> {
  const found = parse(text).flatMap((object): [string, unknown][] => {
    const { kind, metadata, data } = object;
    const pod = podOf(object);
    if (pod) return [[`pod ${metadata.name.replace(/^migrate-1$/, 'migrate')}`, plain(pod)]];
    if (kind === 'ConfigMap' && metadata.name.startsWith('settings')) return [[withoutHash(metadata.name), data ?? {}]];
    if (kind !== 'ServiceAccount') return [];
    const own = Object.entries({ ...metadata.labels, ...metadata.annotations });
    const kept = own.filter(([name]) => !/^(helm\.sh|app\.kubernetes\.io|recording-request|argocd)/.test(name));
    return [[`account ${metadata.name}`, Object.fromEntries(kept)]];
  });
  return Object.fromEntries(found);
}

/** Opens a copy of the chart. Without `withTest`, the output does not contain the objects of `helm test`. */
export async function openChart(
  tools: { kustomize: string },
  helm: string,
  { withTest = false } = {},
): Promise<RenderedChart> {
  const dir = await tempDir();
  const chart = join(dir.path, 'chart');
  await copyChart(tools, chart);
  const example = join(dir.path, 'example.yaml');
  await writeFile(example, filledIn(await readFile(EXAMPLE, 'utf8')));
  async function template(values: object, ...files: string[]): Promise<string> {
    const own = join(dir.path, 'values.yaml');
    await writeFile(own, stringify(values));
    const args = ['template', 'release', chart, '--namespace', NAMESPACE, '--kube-version', '1.34.0'];
    if (!withTest) args.push('--skip-tests');
    const { stdout } = await runFile(
      helm,
      [...args, ...[...files, own].flatMap(file => ['--values', file === EXAMPLE ? example : file])],
      {
        timeout: 60_000,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    return stdout;
  }
  return {
    template,
    refusal: async (values, ...files) =>
      await template(values, ...files).then(
        () => assert.fail('Helm accepts the values'),
        error => (error as { stderr: string }).stderr,
      ),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
