import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { print as log } from '@recording-request/harness/command';
import { ensureCheckImage } from '@recording-request/k8s/images/check-image';
import { ensureManifestTools } from '@recording-request/k8s/install';
import { ensureObservability } from '@recording-request/observe/install/observability';
import { ensure } from '@recording-request/stack/install/ensure';
import { ensureMinioClient } from '@recording-request/stack/install/minio-client';
import { ensureSpeech } from '@recording-request/stack/install/speech';
import { ensureStandardWebhooks } from '@recording-request/stack/install/standardwebhooks';
import { ensureTuspy } from '@recording-request/stack/install/tuspy';
import { ensureVersitygw } from '@recording-request/stack/install/versitygw';
import { startServers } from '@recording-request/stack/servers';
import { ROOT } from './repository.ts';
import { serversFolder } from './servers-folder.ts';
import { isDeployTest, needsServers } from './test-files.ts';
import { groupUnitTests } from './unit-groups.ts';

export interface Tally {
  passed: number;
  failed: number;
}

const DEADLINE = import.meta.resolve('./deadline.ts');
// Tests that must pass on any S3 store.
const SECOND_STORE = /\/(objects|second-store)\.test\.ts$/;
// The test that runs the image of check:overlay.
const CHECK_IMAGE = /\/overlay-image\.test\.ts$/;
// The test that creates users of the object store.
const WITH_USERS = /\/rights-at-servers\.test\.ts$/;
// Tests that verify signatures in Python.
const SIGNED = /\/webhooks\/|\/system\/docs\.test\.ts$/;
// Tests that run the collector or Prometheus, or promtool.
const OBSERVED = /^tools\/observe\/(test|src\/(servers|definitions))\//;
const BROWSER = /\/browser\//;
// The test that runs Schemathesis.
const GENERATED = /\/owner-api\.test\.ts$/;
// Tests that run programs of the docs, some of which are in Python.
const SAMPLED = /\/system\/(?:owner-api|docs)\.test\.ts$/;
// The test that completes commands in zsh.
const COMPLETION = /\/completion\.test\.ts$/;
// The test that transcribes with Whisper.
const SPEECH = /stack\/src\/speech\.test\.ts$/;
// The long form of a test sets a higher limit for its file.
const TEST_MS = Number(process.env.TEST_FILE_MS ?? 15 * 60_000);
const TICK_MS = 60_000;
// Long test files mostly wait, so twice the number of cores is faster. More files would compete for CPU and time out.
// Each file needs up to 2 GiB.
const FILES_AT_ONCE = Math.max(
  2,
  Math.min(availableParallelism() * 2, Math.floor(process.availableMemory() / 2 ** 31)),
);
/** The number of slowest files to report at the end. */
const SLOWEST = 12;

/**
 * Starts the real servers and installs the programs that `files` need, unless no file needs them. When `checks` have
 * ended, runs the files, several at once. Returns how many checks and tests passed and failed.
 */
export async function runTests(files: readonly string[], checks: Promise<Tally>, stop: AbortSignal): Promise<Tally> {
  if (files.length === 0) return checks;
  const withServers = files.some(needsServers);
  const missing = new AbortController();
  const installed = ensurePrograms(files, withServers);
  // When a program cannot be installed, cancels the start of the servers, which may build for minutes.
  installed.catch(error => missing.abort(error));
  await using folder = await serversFolder();
  // Uses a compile cache, because most files and services load the same modules.
  process.env.NODE_COMPILE_CACHE ||= join(folder.path, 'compiled');
  const programs = await groupUnitTests(files, folder.path);
  if (!withServers) {
    await installed;
    return await runPrograms(programs, await checks, stop);
  }
  // PocketSphinx is fast, and sufficient for tests that do not check words. The test of Whisper starts its own server.
  process.env.SPEECH_ENGINE ||= 'pocketsphinx';
  const signal = AbortSignal.any([stop, missing.signal]);
  await using servers = await startServers({ dataDir: folder.path, log, signal });
  await installed;
  Object.assign(process.env, servers.env);
  return await runPrograms(programs, await checks, stop);
}

/**
 * Builds or downloads the programs that `files` need, in parallel. This happens once per machine, and outside the time
 * limit of a test file.
 */
async function ensurePrograms(files: readonly string[], withServers: boolean): Promise<void> {
  const context = { env: process.env, log };
  const needed = (pattern: RegExp) => files.some(file => pattern.test(file));
  await Promise.all([
    withServers && ensure(['ffmpeg', 'flite', 'zbar-tools'], log),
    needed(BROWSER) && ensure(['chromium'], log),
    needed(COMPLETION) && ensure(['zsh'], log),
    needed(GENERATED) && ensure(['schemathesis'], log),
    files.some(isDeployTest) && ensureManifestTools(context),
    needed(CHECK_IMAGE) && ensureCheckImage(context),
    needed(OBSERVED) && ensureObservability(context),
    needed(SIGNED) && ensureStandardWebhooks(context),
    needed(SAMPLED) && ensureTuspy(context),
    needed(SECOND_STORE) && ensureVersitygw(context),
    needed(WITH_USERS) && ensureMinioClient(context),
    needed(SPEECH) && ensureSpeech({ env: { ...process.env, SPEECH_ENGINE: '' }, log }),
  ]);
}

/** Runs each of these modules in a separate process. Returns `before` plus the counts of their tests. */
async function runPrograms(files: readonly string[], before: Tally, signal: AbortSignal): Promise<Tally> {
  const tally = { ...before };
  const tests = run({
    files,
    signal,
    concurrency: FILES_AT_ONCE,
    timeout: TEST_MS,
    execArgv: ['--disable-warning=TimeoutNegativeWarning', '--import', DEADLINE],
    forceExit: false,
  });
  let last = { at: Date.now(), what: 'none yet' };
  const took: { file: string; ms: number }[] = [];
  tests.on('test:complete', ({ name, file, details }) => {
    last = { at: Date.now(), what: `"${name}"${file ? ` of ${relative(ROOT, file)}` : ''}` };
    // The runner reports a file as a test with the file's name.
    if (file && name === file) took.push({ file, ms: details.duration_ms });
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
  if (took.length > SLOWEST) tellSlowest(took);
  return tally;
}

/** Reports which files took longest. */
function tellSlowest(took: { file: string; ms: number }[]): void {
  const slowest = took.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  log(`\nThe slowest of ${took.length} test files, ${FILES_AT_ONCE} at once:`);
  for (const { file, ms } of slowest) log(`${(ms / 1000).toFixed(0).padStart(5)} s  ${relative(ROOT, file)}`);
}

/** Prints the closing line and returns the exit code. */
export function conclude(tally: Tally, stop: AbortSignal): number {
  log(`\n${tally.passed} passed, ${tally.failed} failed${stop.aborted ? '; ended before all had run' : ''}`);
  return tally.failed === 0 && !stop.aborted ? 0 : 1;
}
