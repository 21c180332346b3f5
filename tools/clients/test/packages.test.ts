/** Tests that the committed files match the service, and that the packed clients work after an installation. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { generatedFiles } from '../src/generated.ts';
import { packClient } from '../src/pack.ts';
import { writeReference } from '../src/reference.ts';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url));
const TYPE_ROOTS = fileURLToPath(new URL('../../../node_modules/@types', import.meta.url));
// Installs packages from this repository's node_modules, so that the test needs no registry.
const FROM_HERE = ['tus-js-client', '@modelcontextprotocol/sdk', 'typebox'].map(name =>
  fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url)),
);
const scratch = await mkdtemp(join(tmpdir(), 'recording-request-clients-'));
after(() => rm(scratch, { recursive: true, force: true }));

/** Runs a program. Fails with its output. */
async function passes(program: string, args: string[], cwd = scratch): Promise<string> {
  const { stdout } = await run(program, args, { cwd }).catch(({ stdout, stderr }) =>
    assert.fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`),
  );
  return stdout;
}

const CONSUMER = `
import { ApiError, NotFoundError, RecordingRequest, webhooks, type api, type Submission } from '@recording-request/client';
import { fileCursor, saveTo } from '@recording-request/client/files';

const client = new RecordingRequest({ baseUrl: process.argv[2]!, token: 'api_x' });
const created: api.ProjectCreated = await client.projects.create({ projectName: 'P', count: 1 });
const found: Submission[] = await client.submissions.list(created.projectId).all(10);
const error = await client.me().catch((error: unknown) => error);
if (!(error instanceof NotFoundError && error instanceof ApiError && error.is('not_found'))) throw error;
const signed = await webhooks.sign({ id: 'e', type: 'link.closed', body: '{"id":"e","type":"link.closed"}', secret: 's' });
const event = await webhooks.unwrap('{"id":"e","type":"link.closed"}', signed, 's');
if (event.type === 'submission.completed') console.log(event.data.submission.submissionId);
await saveTo(client.exports.csv(created.projectId), 'export.csv');
await fileCursor('events.cursor').save('c1');
console.log(found.length, event.type, error.requestId);
`;

/** Starts a service with fixed answers. `owner` is its answer to /api/me; without `owner`, that request gets 404. */
async function fakeService(owner?: object) {
  const server = createServer((request, response) => {
    const json = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'error-code': 'not_found', 'request-id': 'r1' })
        .end(JSON.stringify(body));
    if (request.url === '/api/me') return owner ? json(200, owner) : json(404, { error: 'No.' });
    if (request.url?.includes('/submissions'))
      return json(200, { submissions: [{}, {}], pagination: { nextCursor: null } });
    if (request.url?.endsWith('.csv')) return response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b\r\n');
    return json(200, { projectId: 'p' });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

test('the committed types and Error-Codes are those of the service', async () => {
  for (const { file, text } of await generatedFiles()) {
    const made = text.split('\n');
    const committed = (await readFile(file, 'utf8')).split('\n');
    const line = made.findIndex((text, i) => text !== committed[i]);
    assert.equal(committed[line], made[line], `line ${line + 1} of ${file.pathname} differs: run npm run clients`);
    assert.equal(committed.length, made.length, 'run npm run clients');
  }
});

test('the packed client is clean, small, and runs and compiles in another folder', async () => {
  const file = await packClient('typescript', scratch);
  await Promise.all([
    passes(join(BIN, 'publint'), [file, '--strict']),
    passes(join(BIN, 'attw'), [file, '--profile', 'esm-only', '--no-definitely-typed']),
  ]);
  assert.ok((await readFile(file)).length < 100_000, 'the package has grown over 100 kB');
  const folder = await mkdtemp(join(scratch, 'consumer-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await passes('npm', ['install', '--offline', '--no-audit', '--no-fund', '--omit=peer', file], folder);
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(folder, 'node_modules/@recording-request/client/package.json'), 'utf8'),
  );
  assert.deepEqual([dependencies, Object.keys(peerDependencies)], [undefined, ['tus-js-client']]);
  await writeFile(join(folder, 'consumer.ts'), CONSUMER);
  // The types of the platform come from lib.dom, because the package must not need @types/node.
  const flags = '--outDir out --target es2022 --lib es2022,dom,dom.asynciterable --module nodenext --types  --strict';
  await writeFile(join(folder, 'process.d.ts'), 'declare const process: { argv: string[] };');
  await passes(join(BIN, 'tsc'), [...flags.split(' '), 'consumer.ts', 'process.d.ts'], folder);
  for (const [i, code] of (await readmeExamples()).entries()) await writeFile(join(folder, `readme-${i}.ts`), code);
  const node = `--noEmit --target es2022 --module nodenext --types node --typeRoots ${TYPE_ROOTS} --strict`;
  const examples = (await readdir(folder)).filter(name => name.startsWith('readme-'));
  assert.ok(examples.length >= 5);
  await passes(join(BIN, 'tsc'), [...node.split(' '), ...examples], folder);
  const bundled = ['index.js', '--bundle', '--format=esm', '--external:tus-js-client', '--outfile=browser.js'];
  await passes(join(BIN, 'esbuild'), bundled, join(folder, 'node_modules/@recording-request/client'));
  await using service = await fakeService();
  const printed = await passes(process.execPath, ['out/consumer.js', service.url], folder);
  assert.equal(printed, '2 link.closed r1\n');
  assert.equal(await readFile(join(folder, 'export.csv'), 'utf8'), 'a,b\r\n');
  assert.equal(await readFile(join(folder, 'events.cursor'), 'utf8'), 'c1\n');
});

/** Returns the examples of the README of the client. */
async function readmeExamples(): Promise<string[]> {
  const text = await readFile(new URL('../../../clients/typescript/README.md', import.meta.url), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
}

test('the packed command line runs where it is installed', async () => {
  const files = [await packClient('typescript', scratch), await packClient('cli', scratch)];
  assert.ok((await readFile(files[1]!)).length < 70_000, 'the package has grown over 70 kB');
  const folder = await mkdtemp(join(scratch, 'command-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await passes(
    'npm',
    [
      'install',
      '--offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--legacy-peer-deps',
      ...files,
      ...FROM_HERE,
    ],
    folder,
  );
  const rr = join(folder, 'node_modules/.bin/rr');
  assert.match(await passes(rr, ['--help'], folder), /rr pull PROJECT DIR/);
  const { code, stderr } = await run(rr, ['whoami'], { env: { ...process.env, XDG_CONFIG_HOME: folder } }).catch(
    error => error,
  );
  assert.deepEqual([code, /There is no address/.test(stderr)], [3, true]);
  await servesAgents(rr);
  // Other commands must not load the libraries of the protocol, because loading these takes longer than all the rest.
  await rm(join(folder, 'node_modules/@modelcontextprotocol'), { recursive: true });
  assert.match(await passes(rr, ['--version'], folder), /^1\./);
});

/** Checks the tools of an installed `rr mcp` with the client of the SDK. */
async function servesAgents(rr: string): Promise<void> {
  await using service = await fakeService({ scopes: ['projects:write'], remainingVideos: null });
  const env = { ...getDefaultEnvironment(), RR_BASE_URL: service.url, RR_TOKEN: 'api_x' };
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StdioClientTransport({ command: rr, args: ['mcp'], env }));
  const { tools } = await agent.listTools();
  assert.equal(tools.length, 9);
  const project = { projectName: 'P' };
  const { structuredContent: dry } = await agent.callTool({ name: 'create_project', arguments: project });
  assert.equal((dry as { state: string }).state, 'dry_run');
  await agent.close();
}

test('every public name has a description in the reference', async () => {
  await writeReference(join(scratch, 'reference'));
  assert.match(await readFile(join(scratch, 'reference/index.html'), 'utf8'), /recording-request\/client/);
});
