import { spawn } from 'node:child_process';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureManifestTools } from '@recording-request/k8s/install';
import { ensure } from '@recording-request/stack/install/ensure';
import { ensureStandardWebhooks } from '@recording-request/stack/install/standardwebhooks';
import { ensureVersitygw } from '@recording-request/stack/install/versitygw';
import { startServers } from '@recording-request/stack/servers';

const HELP = `npm test [-- [--only TEXT] [--no-checks] [--help]]

Installs what is missing, starts the real servers, then checks the protocol, the types and the style, and runs every test.

  --only TEXT   only the test files whose path contains TEXT, such as services/media or upload.test.ts; where there is
                none, those that import a file whose path does, such as test/system/suites/secrets.ts
  --no-checks   without the checks of protocol, types and style
`;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BIN = join(ROOT, 'node_modules/.bin');
const DEADLINE = import.meta.resolve('./deadline.ts');
const CHECKS = [
  { name: 'protocol', command: 'buf', args: ['lint', 'proto'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', 'tsconfig.json'] },
  { name: 'style', command: 'biome', args: ['check', '--error-on-warnings', '--max-diagnostics=5', '.'] },
];
// The tests of what must hold on any S3 store.
const SECOND_STORE = /\/(objects|second-store)\.test\.ts$/;
// What verifies signatures in Python.
const SIGNED = /\/webhooks\/|\/owner-api\.test\.ts$/;
const CHECK_MS = 5 * 60_000;
const TEST_MS = 15 * 60_000;
const TICK_MS = 60_000;

interface Tally {
  passed: number;
  failed: number;
}

const log = (line: string) => process.stdout.write(`${line}\n`);

async function check({ name, command, args }: (typeof CHECKS)[number]): Promise<boolean> {
  const startedAt = Date.now();
  const child = spawn(join(BIN, command), args, { cwd: ROOT, stdio: 'inherit', timeout: CHECK_MS });
  const code = await new Promise<number | null>(resolve => child.once('exit', resolve));
  log(`${code === 0 ? '✔' : '✖'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return code === 0;
}

/** A suite is no test file: those of `files` that import a file with `text` in its path. */
async function importersOf(text: string, files: string[]): Promise<string[]> {
  const importers: string[] = [];
  for (const file of files) {
    const imports = (await readFile(join(ROOT, file), 'utf8')).matchAll(/ from '(\.[^']+)'/g);
    if (imports.some(([, path]) => join(dirname(file), path!).includes(text))) importers.push(file);
  }
  return importers;
}

/** The test files, the long ones first so that no core waits for the last. */
async function testFiles(only: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('{packages,web,services,tools,test}/**/*.test.ts', {
    cwd: ROOT,
    exclude: name => name.endsWith('node_modules'),
  }))
    files.push(file);
  const named = files.filter(file => file.includes(only));
  const chosen = named.length > 0 ? named : await importersOf(only, files);
  const weight = (file: string) => (file.startsWith('test/') ? 0 : dirname(file).includes('/test') ? 1 : 2);
  return chosen.sort((a, b) => weight(a) - weight(b) || a.localeCompare(b)).map(file => join(ROOT, file));
}

async function runTests(files: string[], tally: Tally, signal: AbortSignal): Promise<void> {
  const tests = run({
    files,
    signal,
    concurrency: 2,
    timeout: TEST_MS,
    execArgv: ['--disable-warning=TimeoutNegativeWarning', '--import', DEADLINE],
    forceExit: false,
  });
  let last = { at: Date.now(), what: 'none yet' };
  tests.on('test:complete', ({ name, file }) => {
    last = { at: Date.now(), what: `"${name}"${file ? ` of ${relative(ROOT, file)}` : ''}` };
  });
  const ticker = setInterval(() => {
    const silence = Math.round((Date.now() - last.at) / 1000);
    if (silence * 1000 >= TICK_MS) log(`… no test has ended for ${silence} s; the last was ${last.what}`);
  }, TICK_MS);
  tests.on('test:pass', ({ details, skip }) => {
    if (details.type !== 'suite' && skip === undefined) tally.passed += 1;
  });
  tests.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') tally.failed += 1;
  });
  try {
    for await (const text of tests.compose(spec)) process.stdout.write(text as string);
  } finally {
    clearInterval(ticker);
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, 'no-checks': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    log(HELP);
    return 0;
  }
  const files = await testFiles(values.only ?? '');
  if (files.length === 0) {
    log(`No test file has ${values.only} in its path, nor imports a file that has.`);
    return 1;
  }
  const tally: Tally = { passed: 0, failed: 0 };
  if (!values['no-checks']) for (const step of CHECKS) tally[(await check(step)) ? 'passed' : 'failed'] += 1;
  await ensure(['ffmpeg', 'flite', 'zbar-tools'], log);
  if (files.some(file => file.includes('/browser/'))) await ensure(['chromium'], log);
  // Built once a machine, which takes minutes: not within the time of a test file.
  if (files.some(file => file.includes('/k8s/'))) await ensureManifestTools({ env: process.env, log });
  if (files.some(file => SIGNED.test(file))) await ensureStandardWebhooks({ env: process.env, log });
  if (files.some(file => SECOND_STORE.test(file))) await ensureVersitygw({ env: process.env, log });
  const stop = stopped();
  const dataDir = await mkdtemp(join(tmpdir(), 'recording-request-test-'));
  try {
    await using servers = await startServers({ dataDir, log, signal: stop });
    Object.assign(process.env, servers.env);
    await runTests(files, tally, stop);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  log(`\n${tally.passed} passed, ${tally.failed} failed${stop.aborted ? '; ended before all had run' : ''}`);
  return tally.failed === 0 && !stop.aborted ? 0 : 1;
}

/** Aborted by Ctrl-C, which comes from the terminal and once more from npm: a second one must not cut the clearing away short. */
function stopped(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => stop.abort(new Error(`ended by ${name}`)));
  return stop.signal;
}

process.exitCode = await main();
