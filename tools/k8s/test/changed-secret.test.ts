import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderOverlay } from '../src/chart.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse } from '../src/manifests.ts';
import { PRODUCTION } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });

/** Renders the production overlay with a generated Secret. */
async function renderedWith(secretsKey: string): Promise<Manifest[]> {
  const secret = {
    name: 'recording-request-projects',
    namespace: 'recording-request',
    literals: [`SECRETS_KEY=${secretsKey}`],
  };
  const labels = { 'app.kubernetes.io/component': 'migration' };
  return parse(
    await renderOverlay(tools, {
      resources: [PRODUCTION],
      secretGenerator: [{ ...secret, options: { labels } }],
    }),
  );
}

test('a changed Secret of an overlay gets another name, so that every pod that reads it restarts', async () => {
  const [before, after] = [await renderedWith('k1:one'), await renderedWith('k1:another')];
  const nameOf = (objects: Manifest[]) => objects.find(({ kind }) => kind === 'Secret')!.metadata.name;
  assert.notEqual(nameOf(before), nameOf(after));
  for (const objects of [before, after]) {
    const read = new Set(
      JSON.stringify(objects)
        .matchAll(/"secretKeyRef":\{[^}]*"name":"(recording-request-projects[^"]*)"/g)
        .map(([, name]) => name),
    );
    assert.deepEqual([...read], [nameOf(objects)]);
  }
});
