import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { serviceNames, variablesOf } from '@recording-request/k8s/repository';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit-telemetry/checks';
import { readRunbooks } from './runbooks.ts';

const REPOSITORY = new URL('../../../../', import.meta.url);
const readText = (path: string) => readFile(new URL(path, REPOSITORY), 'utf8');

async function knownVariables(): Promise<Set<string>> {
  const services = await Promise.all((await serviceNames()).map(variablesOf));
  const collector = await readText('deploy/observability/collector/config.yaml');
  return new Set([
    ...services.flatMap(names => [...names]),
    ...Object.keys({ ...CHECKS, ...OWN_CHECKS }),
    ...[...collector.matchAll(/\$\{env:(\w+)/g)].map(([, name = '']) => name),
  ]);
}

const variablesIn = (text: string): string[] => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);

describe('variables and commands in runbooks exist', async () => {
  const known = await knownVariables();
  const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
  const runbooks = await readRunbooks();
  for (const { name, prose } of runbooks)
    test(name, () => {
      for (const variable of variablesIn(prose)) assert(known.has(variable), `no program reads ${variable}`);
      for (const script of scriptsIn(prose)) assert(script in scripts, `no script ${script}`);
    });
  test('finds both in text', () => {
    const all = runbooks.map(({ prose }) => prose).join('\n');
    assert(variablesIn(all).includes('SPEECH_API_KEY'));
    assert(scriptsIn(all).includes('admin') && scriptsIn(all).includes('start'));
  });
});
