import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse, stringify } from 'yaml';
import { filledIn, fillIn } from '../src/filled-in.ts';
import { LOCAL, LOCAL_VERSITY, OPERATORS, PRODUCTION, ROOT } from '../src/repository.ts';
import { EXAMPLE } from './rendered-chart.ts';

const runFile = promisify(execFile);
const ADDRESSES = ['PUBLIC_BASE_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL'];

/** Runs check:overlay. Resolves to its exit status, its faults and notes, and its last line. */
async function check(...args: string[]) {
  const program = join(ROOT, 'tools/k8s/src/overlay/main.ts');
  const { code = 0, stdout } = (await runFile(process.execPath, [program, ...args]).catch(error => error)) as {
    code?: number;
    stdout: string;
  };
  const lines = stdout.trim().split('\n');
  const last = lines.pop();
  const isNote = (line: string) => line.startsWith('Note: ');
  return { code, faults: lines.filter(line => !isNote(line)), notes: lines.filter(isNote), last };
}

/** Makes an operator's copy of the production overlay, outside the repository, with values of an installation. */
async function installation(folder: string): Promise<string> {
  const overlay = join(folder, 'clips');
  await cp(PRODUCTION, overlay, { recursive: true });
  await fillIn(overlay);
  for (const name of ['kustomization.yaml', 'admin/kustomization.yaml'])
    await change(overlay, name, text =>
      text.replace(/- ((?:\.\.\/)+)(\w.*)$/gm, (line, up: string, path: string) =>
        line.includes('required')
          ? line
          : `- ${relative(join(overlay, name, '..'), join(PRODUCTION, name, '..', up, path))}`,
      ),
    );
  return overlay;
}

async function change(folder: string, file: string, edit: (text: string) => string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  const changed = edit(text);
  assert.notEqual(changed, text, `${file} is changed`);
  await writeFile(path, changed);
}

/** Changes fields of the kustomization. */
const changeFields = (overlay: string, edit: (fields: ReturnType<typeof parse>) => void): Promise<void> =>
  change(overlay, 'kustomization.yaml', text => {
    const fields = parse(text);
    edit(fields);
    return stringify(fields);
  });

test('accepts a filled-in overlay at any place, with its operator’s pod, and the shipped ones', async () => {
  await using dir = await tempDir();
  const overlay = await installation(dir.path);
  for (const folders of [[overlay], [overlay, join(overlay, 'admin')], [LOCAL], [LOCAL_VERSITY]]) {
    const { code, faults, last } = await check(...folders);
    assert.deepEqual([code, faults], [0, []], folders.join());
    assert.match(last!, /^\d+ objects without faults$/);
  }
});

test('refuses the unchanged examples: every value is a placeholder', async () => {
  const { code, faults, last } = await check(PRODUCTION);
  assert.equal(code, 1);
  assert.equal(last, `${faults.length} faults`);
  for (const each of faults) assert.match(each, /is a placeholder: set /);
  for (const name of [...ADDRESSES, 'mongo', 'kafka', 'objects', 'speech'])
    assert.ok(
      faults.some(each => each.includes(name)),
      name,
    );
  const operators = await check(OPERATORS);
  assert.deepEqual(
    operators.faults.filter(each => !/placeholder|to-speech|networks\.edge/.test(each)),
    [],
  );
});

test('names each of ten faults of an overlay in one sentence', async () => {
  await using dir = await tempDir();
  const overlay = await installation(dir.path);
  await change(
    overlay,
    'settings.env',
    text =>
      `${text.replace(':9092', ':9094').replace('//clips.', '//clip.')}
RETENTION_DAY=30
UPLOAD_PART_BYTES=many
S3_CA_FILE=/server-ca/s3.crt
`,
  );
  const patch = (kind: string, name: string, path: string, value: unknown) => ({
    target: { kind, name },
    patch: stringify([{ op: 'replace', path, value }]),
  });
  await changeFields(overlay, fields => {
    fields.images[1].name = 'recording-request-worker';
    fields.patches.push(
      patch('NetworkPolicy', 'to-telemtry', '/spec/egress', []),
      patch('HTTPRoute', 'gateway', '/spec/rules/0/backendRefs/0/name', 'gatway'),
      patch('ScaledObject', 'media', '/spec/triggers/0/metadata/topic', 'media.works'),
    );
    const secretsKey = `SECRETS_KEY=k1:${Buffer.alloc(32, 1).toString('base64')}`;
    fields.secretGenerator = [{ name: 'recording-request-webhooks', literals: ['MONGO_URI=mongodb://a', secretsKey] }];
  });
  const { code, faults, last } = await check(overlay);
  const expected = [
    /^KAFKA_BROKERS: .* do not let media, projects, submissions, transcription and migrate reach kafka-1\.\S+:9094: .*networks\.kafka/,
    /^PUBLIC_BASE_URL has the host clip\.\S+, but outside access serves clips\./,
    /^settings: no program reads a setting RETENTION_DAY: .*RETENTION_DAYS/,
    /^submissions would not start: UPLOAD_PART_BYTES must be /,
    /^S3_CA_FILE=\/server-ca\/s3\.crt: no volume is mounted there/,
    /^kustomization\.yaml: images names recording-request-worker, .*a similar one is recording-request-workers/,
    /^kustomization\.yaml: the patch of NetworkPolicy to-telemtry matches no object.*a similar one is to-telemetry/,
    /^HTTPRoute gateway names the Service gatway, .*a similar one is gateway/,
    /^ScaledObject media: the group media reads the topic media\.work, not media\.works/,
    /^Deployment webhooks: the Secret recording-request-webhooks-\w+ has no key MONGO_URL: add it; a similar one is MONGO_URI/,
  ];
  const unexpected = faults.filter(each => !expected.some(pattern => pattern.test(each)));
  assert.deepEqual(unexpected, []);
  for (const pattern of expected) assert.equal(faults.filter(each => pattern.test(each)).length, 1, String(pattern));
  assert.deepEqual([code, last], [1, '10 faults']);
});

test('names the folder of a fault in the operator’s pod, and accepts this pod alone', async () => {
  await using dir = await tempDir();
  const overlay = await installation(dir.path);
  const admin = join(overlay, 'admin');
  const alone = await check(admin);
  assert.deepEqual([alone.code, alone.faults], [0, []]);
  assert.match(alone.notes.join(), /no service of the product is here.*together with its overlay/);
  await change(admin, 'kustomization.yaml', text => text.replace('name: recording-request', 'name: recording-reqest'));
  assert.match(
    (await check(overlay, admin)).faults.join('\n'),
    /^admin\/kustomization\.yaml: images names recording-reqest/m,
  );
  await change(admin, 'kustomization.yaml', text => text.replace('resources:', 'resource:'));
  assert.match((await check(overlay, admin)).faults.join('\n'), /^kustomize refuses admin: /m);
});

test('says which value is missing, and which folder is wrong', async () => {
  await using dir = await tempDir();
  const overlay = await installation(dir.path);
  await change(overlay, 'settings.env', text =>
    text.replace(/^S3_ENDPOINT=.*$/m, '').replace(/^KAFKA_BROKERS=.*$/m, ''),
  );
  await change(overlay, 'installation.yaml', text => text.replace(/^ +kafka: .*$/m, '').replace(/^ +media: .*$/m, ''));
  assert.deepEqual((await check(overlay, join(overlay, 'admin'))).faults, [
    'KAFKA_BROKERS is missing: add it to settings.env.',
    'S3_ENDPOINT is missing: add it to settings.env.',
    'networks.kafka is missing: add it to installation.yaml.',
    'secretNames.media is missing: add it to installation.yaml.',
  ]);
  await mkdir(join(dir.path, 'empty'));
  assert.match((await check(join(dir.path, 'empty'))).faults[0]!, /^kustomize refuses the overlay: /);
  assert.equal((await check(join(dir.path, 'none'))).code, 2);
  assert.equal((await check()).code, 2);
});

test('checks values of the chart', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'values.yaml');
  const example = await readFile(EXAMPLE, 'utf8');
  await writeFile(file, example);
  const refused = await check('--values', file);
  assert.equal(refused.code, 1);
  for (const each of refused.faults) assert.match(each, / is a placeholder: set /);
  assert.ok(refused.faults.length >= 13, refused.faults.join('\n'));
  await writeFile(file, filledIn(example));
  const accepted = await check('--values', file);
  assert.deepEqual([accepted.code, accepted.faults], [0, []]);
  await writeFile(file, filledIn(example).replace(':9092', ':9094').replace('https://clips.', 'https://clip.'));
  const { faults } = await check('--values', file);
  assert.equal(faults.length, 2);
  assert.match(faults.join('\n'), /^KAFKA_BROKERS: .*9094.*\nPUBLIC_BASE_URL has the host clip\./);
});

test('explains a port in quotes and a secret among the values', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'values.yaml');
  const example = filledIn(await readFile(EXAMPLE, 'utf8'));
  await writeFile(
    file,
    example.replace('port: 443 ', 'port: "443" ').replace(/^settings:$/m, 'settings:\n  SPEECH_API_KEY: sk-1'),
  );
  const { faults } = await check('--values', file);
  assert.equal(faults.length, 2, faults.join('\n'));
  assert.match(
    faults.join('\n'),
    /^values: at '\/networks\/objects\/0\/ports\/0\/port': .*: write 443 without quotes$/m,
  );
  assert.match(
    faults.join('\n'),
    /^values: at '\/settings\/SPEECH_API_KEY': .*move it to the Secret of the workload$/m,
  );
});

/** Makes a copy of deploy/k8s in a repository of the operator, with an overlay `clips` with Secrets as files. */
async function ownCopy(folder: string, components: string[]): Promise<string> {
  await cp(join(ROOT, 'deploy/k8s'), join(folder, 'k8s'), { recursive: true });
  const overlay = join(folder, 'k8s/overlays/clips');
  await cp(PRODUCTION, overlay, { recursive: true });
  await fillIn(overlay);
  const keys = ['S3_ACCESS_KEY', 'S3_SECRET_KEY'].map(name => `${name}_FILE=/secrets/${name}\n`);
  await change(overlay, 'settings.env', text => text + keys.join(''));
  await changeFields(overlay, fields => fields.components.push(...components));
  return overlay;
}

/** Makes an overlay of `clips`, in a folder beside it, with these components. */
async function strictOverlay(folder: string, components: string[]): Promise<string> {
  const strict = join(folder, 'k8s/overlays/strict');
  await mkdir(strict, { recursive: true });
  await writeFile(join(strict, 'kustomization.yaml'), stringify({ resources: ['../clips'], components }));
  return strict;
}

const NO_VARIABLES = '../../secrets-as-files/no-variables';

test('in a copy of the manifests, secrets as files need neither a doctor nor a backup', async () => {
  await using dir = await tempDir();
  const overlay = await ownCopy(dir.path, ['../../secrets-as-files']);
  const strict = await strictOverlay(dir.path, [NO_VARIABLES]);
  for (const folder of [overlay, strict]) assert.deepEqual((await check(folder)).faults, [], folder);
});

test('finds a doctor before secrets-as-files, and one after no-variables', async () => {
  await using dir = await tempDir();
  const overlay = await ownCopy(dir.path, ['../../doctor', '../../secrets-as-files']);
  assert.match(
    (await check(overlay)).faults.join('\n'),
    /^Job doctor has KAFKA_OAUTH_CLIENT_SECRET and 8 other variables from Secrets, .*: list the component doctor after secrets-as-files\.$/,
  );
  await changeFields(overlay, fields => fields.components.splice(-2));
  await changeFields(overlay, fields => fields.components.push('../../secrets-as-files'));
  const strict = await strictOverlay(dir.path, [NO_VARIABLES, '../../doctor']);
  assert.match((await check(strict)).faults.join('\n'), /list the component doctor in the overlay that no-variables/);
});
