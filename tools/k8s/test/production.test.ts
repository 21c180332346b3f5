import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse as parseYaml, stringify } from 'yaml';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureManifestTools } from '../src/install.ts';
import { parse, podOf, render } from '../src/manifests.ts';
import { PRODUCTION, ROOT, readEnvFile } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });

interface Installation {
  secretNames: Record<string, string>;
  networks: Record<string, unknown>;
}

/** Renders a copy of the overlay with other settings or another installation. */
async function renderedWith(change: {
  settings?: (text: string) => string;
  installation?: (value: Installation) => unknown;
}): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const overlay = join(dir.path, 'overlays/production');
  const [settings, installation] = [join(overlay, 'settings.env'), join(overlay, 'installation.yaml')];
  if (change.settings) await writeFile(settings, change.settings(await readFile(settings, 'utf8')));
  if (change.installation) {
    const value = parseYaml(await readFile(installation, 'utf8'));
    change.installation(value);
    await writeFile(installation, stringify(value));
  }
  return await render(tools, overlay);
}

test('the overlay is valid, and its description of an installation is not rendered', async () => {
  const text = await render(tools, PRODUCTION);
  assert.equal(await faultsOf(tools, text), '');
  assert.ok(!parse(text).some(({ kind }) => kind === 'Installation'));
});

test('an acknowledged event survives the loss of a broker: kustomize and Helm default to three copies', async () => {
  const overlay = await readEnvFile(join(PRODUCTION, 'settings.env'));
  const { settings: values } = parseYaml(
    await readFile(join(ROOT, 'deploy/chart/values.production.example.yaml'), 'utf8'),
  );
  for (const settings of [overlay, values]) {
    assert.equal(Number(settings.KAFKA_REPLICATION), 3);
    assert.ok(settings.KAFKA_BROKERS.split(',').length >= 3);
  }
});

for (const name of ['PUBLIC_BASE_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL'])
  test(`fails without ${name}, and names it`, async () => {
    const settings = (text: string) => text.replace(new RegExp(`^${name}=.*$`, 'm'), '');
    await assert.rejects(renderedWith({ settings }), new RegExp(`data\\.${name}. is missing`));
  });

for (const name of ['mongo', 'kafka', 'objects', 'speech', 'edge', 'dns'])
  test(`fails without the network of ${name}, or with an empty one, and names it`, async () => {
    const missing = new RegExp(`networks\\.${name}. is missing`);
    await assert.rejects(renderedWith({ installation: ({ networks }) => delete networks[name] }), missing);
    await assert.rejects(
      renderedWith({ installation: ({ networks }) => Object.assign(networks, { [name]: [] }) }),
      missing,
    );
  });

/** Returns the names of the Secrets from which each workload with a container gets keys. */
function secretsRead(text: string): Record<string, string[]> {
  const read = parse(text).flatMap(object => {
    const names = (podOf(object)?.spec.containers ?? []).flatMap(({ env = [] }) =>
      env.flatMap(
        (each: { valueFrom?: { secretKeyRef?: { name: string } } }) => each.valueFrom?.secretKeyRef?.name ?? [],
      ),
    );
    return names.length > 0 ? [{ [object.metadata.name]: [...new Set<string>(names)] }] : [];
  });
  return Object.assign({}, ...read);
}

const WORKLOADS = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks', 'migrate'];

test('each workload defaults to its own Secret, except the gateway, which uses no server', async () => {
  const own = (name: string) => [name === 'gateway' ? 'recording-request' : `recording-request-${name}`];
  const overlay = await renderOverlay(tools, { resources: [PRODUCTION] });
  assert.deepEqual(secretsRead(overlay), Object.fromEntries(WORKLOADS.map(name => [name, own(name)])));
});

test('all may share a Secret; a missing name fails', async () => {
  const installation = ({ secretNames }: Installation) => {
    for (const name of Object.keys(secretNames)) secretNames[name] = 'ours';
  };
  assert.deepEqual(
    secretsRead(await renderedWith({ installation })),
    Object.fromEntries(WORKLOADS.map(name => [name, ['ours']])),
  );
  for (const name of [...WORKLOADS, 'backup'])
    await assert.rejects(
      renderedWith({ installation: ({ secretNames }) => delete secretNames[name] }),
      new RegExp(`secretNames\\.${name}. is missing`),
    );
});

test('the operator’s pod has the image of the services', async () => {
  const imageOf = (text: string, name: string) =>
    podOf(parse(text).find(({ kind, metadata }) => ['Pod', 'Deployment'].includes(kind) && metadata.name === name)!)!
      .spec.containers[0].image;
  const [admin, overlay] = [await render(tools, join(PRODUCTION, 'admin')), await render(tools, PRODUCTION)];
  assert.equal(await faultsOf(tools, `${overlay}\n---\n${admin}`), '');
  assert.equal(imageOf(admin, 'admin'), imageOf(overlay, 'projects'));
});
