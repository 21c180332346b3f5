// Runs a TypeScript entry point of this repository on a machine without any setup:
//
//   node tools/bootstrap.mjs <entry.ts> [arguments…]
//
// Installs the npm packages when package-lock.json has changed, generates code when the .proto files have, and then
// runs the entry with the repository's Node. This file itself runs on an older Node (20) and without packages.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const INSTALL_LIMIT_MS = 20 * 60_000;
const APT_LIMIT_MS = 5 * 60_000;
const GENERATE_LIMIT_MS = 5 * 60_000;
const LOCK_WAIT_S = 25 * 60;

/** A failure that one sentence explains. It is printed without a stack. */
export class BootstrapError extends Error {}

/** Returns the SHA-256 of the names and contents of files under `paths` (files or folders), without the folders named in `skip`. */
export function fingerprint(root, paths, skip = []) {
  const hash = createHash('sha256');
  const walk = path => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    let entries;
    try {
      entries = readdirSync(full, { withFileTypes: true });
    } catch (error) {
      if (error.code !== 'ENOTDIR') throw error;
      hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
      return;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!skip.includes(entry.name)) walk(join(path, entry.name));
    }
  };
  for (const path of paths) walk(path);
  return hash.digest('hex');
}

/**
 * Returns the two steps, each with its result, its sources, and the command that produces the result. The stamps are in
 * node_modules, so that they disappear with it. They contain hashes of contents, because a checkout changes all times.
 */
export function steps(root) {
  const stampDir = join(root, 'node_modules');
  return [
    {
      what: 'installing npm packages',
      target: join(stampDir, '.bin'),
      stamp: join(stampDir, '.recording-request-install'),
      print: () => fingerprint(root, ['package-lock.json']),
      // Sets the log level, because npm would otherwise warn about the system's older Node once per package, although
      // no package runs on that Node. Does not use `npm ci`, because it deletes node_modules first, even under a
      // running `npm start`, and reinstalls everything. `npm install` also uses the locked versions.
      npm: ['install', '--no-audit', '--no-fund', '--loglevel=error'],
      limitMs: INSTALL_LIMIT_MS,
      advice: 'look at the lines above; run npm install by hand to see more',
    },
    {
      what: 'generating code from proto/ and bundling the pages',
      target: join(root, 'proto', 'gen'),
      stamp: join(stampDir, '.recording-request-generate'),
      print: () =>
        fingerprint(
          root,
          ['package-lock.json', 'proto', 'packages/contract', 'web'],
          ['gen', 'node_modules', '.turbo'],
        ),
      npm: ['run', '--silent', 'generate'],
      // Hides the output of the task runner unless it fails.
      quiet: true,
      limitMs: GENERATE_LIMIT_MS,
      advice: 'look at the lines above',
    },
  ];
}

/** Returns whether a step's result is missing or its sources have changed. */
export function isDue(step) {
  if (!existsSync(step.target) || readdirSync(step.target).length === 0) return true;
  return !existsSync(step.stamp) || readFileSync(step.stamp, 'utf8') !== step.print();
}

/** Runs the steps that are due, each with `runNpm(step)`. Returns these steps. */
export async function prepare(root, runNpm) {
  const done = [];
  for (const step of steps(root)) {
    if (!isDue(step)) continue;
    await runNpm(step);
    if (!existsSync(step.target))
      throw new BootstrapError(`${step.what} made no ${relative(root, step.target)}: ${step.advice}.`);
    mkdirSync(dirname(step.stamp), { recursive: true });
    writeFileSync(step.stamp, step.print());
    done.push(step.what);
  }
  return done;
}

/**
 * Returns PATH without this repository's .bin folders. An installation may replace the Node in such a folder, so npm
 * must not run on that Node.
 */
function outsidePath() {
  const inside = dir => resolve(dir) === ROOT || resolve(dir).startsWith(ROOT + sep);
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(dir => dir && !inside(dir))
    .join(delimiter);
}

async function runNpm(step) {
  console.error(`${step.what} …`);
  const began = Date.now();
  const env = { ...process.env };
  // Removes the workspace selection that `npm run` passes on, because these steps are for the whole repository.
  for (const name of Object.keys(env))
    if (/^npm_config_(workspaces?|include_workspace_root)$/.test(name)) delete env[name];
  const isInstall = step.npm[0] === 'install';
  if (isInstall) env.PATH = outsidePath();
  else await ensureNodeRuns();
  env.TURBO_TELEMETRY_DISABLED = '1';
  const ticker = setInterval(() => {
    console.error(`  … ${step.what}: ${Math.round((Date.now() - began) / 1000)} s`);
  }, 10_000);
  try {
    const code = await runChild('npm', step.npm, { env, limitMs: step.limitMs, quiet: step.quiet });
    if (code !== 0)
      throw new BootstrapError(`${step.what} failed (npm ${step.npm.join(' ')}, exit code ${code}): ${step.advice}.`);
  } catch (error) {
    if (error.code === 'ENOENT') throw new BootstrapError('npm is not on PATH: install Node 20 or newer with npm.');
    throw error;
  } finally {
    clearInterval(ticker);
  }
  console.error(`${step.what}: done in ${Math.round((Date.now() - began) / 1000)} s`);
}

/**
 * Runs a child process on this terminal and forwards signals to it. Resolves to the child's exit code, or to 128 + n
 * for signal n. Rejects when the child cannot start.
 */
function runChild(command, args, { env = process.env, limitMs, quiet = false } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env, stdio: quiet ? ['inherit', 'pipe', 'pipe'] : 'inherit' });
    const held = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => held.push(chunk));
    const forward = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(name => {
      const pass = () => child.kill(name);
      process.on(name, pass);
      return [name, pass];
    });
    const timer = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
    const settle = () => {
      clearTimeout(timer);
      for (const [name, pass] of forward) process.off(name, pass);
    };
    child.once('error', error => {
      settle();
      failed(error);
    });
    child.once(quiet ? 'close' : 'exit', (code, signal) => {
      settle();
      if (code !== 0) process.stderr.write(Buffer.concat(held));
      done(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Makes sure that the repository's own Node can start. It needs a library that a minimal Debian lacks. */
async function ensureNodeRuns() {
  const node = join(ROOT, 'node_modules', '.bin', 'node');
  const fault = () => {
    const { status, error, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 60_000 });
    return status === 0 ? undefined : (stderr || error?.message || `exit code ${status}`).trim();
  };
  const first = fault();
  if (first === undefined) return;
  if (/libatomic\.so/.test(first) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error('installing the Debian package libatomic1, which Node needs …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runChild('apt-get', ['update', '-qq'], { env, limitMs: APT_LIMIT_MS, quiet: true });
    await runChild('apt-get', ['install', '-y', '-qq', 'libatomic1'], { env, limitMs: APT_LIMIT_MS, quiet: true });
  }
  const still = fault();
  if (still !== undefined)
    throw new BootstrapError(
      `The Node that this repository brings does not start (${still.split('\n')[0]}): install the library that it names; libatomic.so.1 is in Debian's package libatomic1.`,
    );
}

/**
 * Holds the repository's lock while `work` runs, so that two commands do not install at once. Without `flock`, there is
 * no lock.
 */
async function locked(work) {
  const hold = ['--exclusive', '--wait', String(LOCK_WAIT_S), ROOT, 'sh', '-c', 'echo held; exec cat > /dev/null'];
  const child = spawn('flock', hold, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  const slow = setTimeout(() => console.error('waiting for another command that is installing here …'), 1_000);
  const outcome = await new Promise(settle => {
    child.once('error', () => settle('missing'));
    child.once('exit', code => settle(code));
    child.stdout.once('data', () => settle('held'));
  });
  clearTimeout(slow);
  if (outcome !== 'held' && outcome !== 'missing')
    throw new BootstrapError('Another command has been installing here for too long: end it and try again.');
  try {
    return await work();
  } finally {
    child.stdin.end();
    if (outcome === 'held')
      await new Promise(settle => (child.exitCode === null ? child.once('exit', settle) : settle()));
  }
}

/**
 * Returns a command that ends when this process ends, even by SIGKILL. Otherwise, it would keep the ports that the next
 * run needs.
 */
function endWithUs(command, args) {
  const setpriv = (process.env.PATH ?? '')
    .split(delimiter)
    .map(dir => join(dir, 'setpriv'))
    .find(existsSync);
  return process.platform === 'linux' && setpriv
    ? [setpriv, ['--pdeathsig', 'TERM', '--', command, ...args]]
    : [command, args];
}

async function main([entry, ...args]) {
  if (!entry) throw new BootstrapError('usage: node tools/bootstrap.mjs <entry.ts> [arguments…]');
  process.chdir(ROOT);
  if (!existsSync(resolve(entry))) throw new BootstrapError(`There is no ${entry} in this repository.`);
  if (steps(ROOT).some(isDue)) await locked(() => prepare(ROOT, runNpm));
  const node = join(ROOT, 'node_modules', '.bin', 'node');
  if (!existsSync(node))
    throw new BootstrapError(
      'The package "node" was not installed: is its install script allowed (allowScripts in package.json)?',
    );
  // Puts this Node first on PATH, so that every program that the entry starts by name uses it.
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter);
  // Sets a compile cache, because every process loads hundreds of modules.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules', '.cache', 'node');
  // Disables a warning of Node: kafkajs computes a negative timeout when it is idle.
  const nodeArgs = ['--disable-warning=TimeoutNegativeWarning', entry, ...args];
  process.exitCode = await runChild(...endWithUs(node, nodeArgs));
}

const isEntry = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isEntry) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof BootstrapError ? error.message : error);
    process.exitCode = 1;
  }
}
