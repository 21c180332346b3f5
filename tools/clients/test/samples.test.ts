/** Tests that the TypeScript of the docs compiles against the client's types. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CLIENT_STATEMENTS } from '@recording-request/gateway/docs/client-statements';
import { preludes, type Sampled, samplesOf } from '@recording-request/gateway/docs/request-samples';
import { servedDescription } from '../src/description.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'recording-request-samples-'));
after(() => rm(scratch, { recursive: true, force: true }));

const OPTIONS = {
  ...{ noEmit: true, strict: true, target: 'esnext', lib: ['esnext', 'dom'], types: ['node'], skipLibCheck: true },
  ...{ module: 'nodenext', allowImportingTsExtensions: true, erasableSyntaxOnly: true },
};

/** Compiles programs as one, by their file names. Returns the errors. */
async function errorsOf(programs: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'program-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  const config = { compilerOptions: OPTIONS, include: ['*.ts'] };
  const files = { ...programs, 'package.json': '{ "type": "module" }', 'tsconfig.json': JSON.stringify(config) };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return promisify(execFile)(join(MODULES, '.bin', 'tsc'), ['-p', folder]).then(
    () => '',
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

test('the TypeScript sample of each operation is one of the client, and compiles', async () => {
  const { paths } = (await servedDescription()) as {
    paths: Record<string, Record<string, Omit<Sampled, 'method' | 'path'>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]): Sampled => ({ ...each, method: method.toUpperCase(), path })),
  );
  assert.deepEqual(operations.map(each => each.operationId).sort(), Object.keys(CLIENT_STATEMENTS).sort());
  const { typescript: prelude } = preludes('https://record.example');
  const programs = operations.map(operation => {
    const { typescript } = samplesOf(operation);
    assert.doesNotMatch(typescript, /\$(?:query|body)/, operation.operationId);
    return [`${operation.operationId}.ts`, `${prelude}\n${typescript}`] as const;
  });
  assert.equal(await errorsOf(Object.fromEntries(programs)), '');
  const [[, code]] = programs as [readonly [string, string], ...unknown[]];
  assert.match(await errorsOf({ 'wrong.ts': code.replace('client.me', 'client.mine') }), /'mine' does not exist/);
});
