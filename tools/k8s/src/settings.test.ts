import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit-telemetry/checks';
import { parse } from 'yaml';
import type { ComposeService } from './compose.ts';
import { ROOT, readEnvFile, serviceNames } from './repository.ts';
import { ALL, SERVICES, secretsAmong, settingNames, settingsDocument } from './settings.ts';

const textOf = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8');
const namesIn = async (file: string): Promise<string[]> => Object.keys(await readEnvFile(join(ROOT, file)));

test('docs/settings.md equals the output of npm run settings', async () => {
  assert.deepEqual(Object.keys(SERVICES).sort(), (await serviceNames()).sort());
  assert.equal(await textOf('docs/settings.md'), settingsDocument());
  assert.deepEqual(JSON.parse(await textOf('tools/admin/src/setting-names.json')), settingNames());
});

/**
 * The files of `deploy/` that set or mention variables of services, each with a function that returns these variables.
 */
const SOURCES: Array<[file: string, names: (file: string) => Promise<string[]>]> = [
  ['deploy/k8s/base/settings.env', namesIn],
  ['deploy/k8s/base/secret.example.env', namesIn],
  ['deploy/k8s/overlays/local/settings.env', namesIn],
  ['deploy/k8s/overlays/operators/product/settings.env', namesIn],
  ['deploy/chart/values.schema.json', async file => (await textOf(file)).match(/\b[A-Z0-9]+(_[A-Z0-9]+)+\b/g) ?? []],
  ['deploy/chart/values.production.example.yaml', async file => Object.keys(parse(await textOf(file)).settings)],
  ['deploy/compose.yaml', namesInCompose],
];

/** Returns the variables of all containers that run one of our images. */
async function namesInCompose(file: string): Promise<string[]> {
  const { services } = parse(await textOf(file), { merge: true }) as { services: Record<string, ComposeService> };
  const ours = Object.values(services).filter(({ image }) => image.startsWith('recording-request'));
  assert.equal(ours.length, Object.keys(SERVICES).length + 2, 'the services, the migration and the tool');
  return ours.flatMap(({ environment }) => Object.keys(environment));
}

for (const [file, names] of SOURCES)
  test(`docs/settings.md describes every variable of ${file}`, async () => {
    const page = await textOf('docs/settings.md');
    const described = new Set([...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name!));
    const given = await names(file);
    assert.ok(given.length > 3, `${given.length} variables were found in it`);
    const isKnown = (name: string) => described.has(name) || name in CHECKS || name in OWN_CHECKS;
    assert.deepEqual(
      given.filter(name => !isKnown(name)),
      [],
    );
  });

const SECRETS = [...new Set(secretsAmong(ALL))].sort();

test('no secret is among the settings, which every reader of the ConfigMap sees', async () => {
  assert.ok(SECRETS.includes('MONGO_URL') && SECRETS.includes('KAFKA_PASSWORD'));
  for (const [file, names] of SOURCES.filter(([each]) => /settings\.env|values\.production/.test(each)))
    for (const name of await names(file)) assert.ok(!SECRETS.includes(name), `${file}: ${name}`);
});

test('every secret is a key of the Secret’s example, and the chart refuses it as a setting', async () => {
  const keys = await namesIn('deploy/k8s/base/secret.example.env');
  assert.deepEqual(
    SECRETS.filter(name => !keys.includes(name)),
    [],
  );
  const { properties } = JSON.parse(await textOf('deploy/chart/values.schema.json'));
  const [[pattern, taken], ...more] = Object.entries(properties.settings.patternProperties) as [[string, boolean]];
  assert.deepEqual([taken, more], [false, []]);
  const described = (await textOf('docs/settings.md')).matchAll(/^\| `([A-Z0-9_]+)` \|/gm);
  const names = new Set([...[...described].map(([, name]) => name!), ...Object.keys(CHECKS), ...keys, ...SECRETS]);
  const refused = [...names].filter(name => new RegExp(pattern).test(name));
  const headers = Object.keys(CHECKS).filter(name => name.endsWith('_HEADERS'));
  assert.deepEqual(refused.sort(), [...SECRETS, ...headers].sort());
});
