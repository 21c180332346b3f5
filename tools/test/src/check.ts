import { execFileSync } from 'node:child_process';
import { print as log, runCommand } from '@recording-request/harness/command';
import { FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';
import { affectedTests } from './affected.ts';
import { runChecks } from './checks.ts';
import { readImportGraph } from './import-graph.ts';
import { ROOT } from './repository.ts';
import { conclude, runTests } from './run-tests.ts';
import { allTestFiles, isDeployTest } from './test-files.ts';

const HELP = `npm run check [-- [--since COMMIT | --deploy] [--help]]

Checks the protocol, the types and the style of the whole repository, then runs the unit and service tests that your
change affects. npm test runs everything.

  --since COMMIT   your change is every difference from COMMIT, committed or not
                   (default: the commit at which this branch left origin/main)
  --deploy         all tests of the Kubernetes and Compose files instead; the first run builds the programs that validate
                   them from Go modules, which takes about ten minutes
`;

const parse = (args: string[]) => parseFlags(args, { since: TEXT, deploy: FLAG });

async function main(values: ReturnType<typeof parse>, stop: AbortSignal): Promise<number> {
  if (values.deploy && values.since !== undefined) throw new UsageError('Give either --since or --deploy.');
  const tests = values.deploy ? (await allTestFiles()).filter(isDeployTest) : await changedTests(values.since);
  const tally = await runTests(tests, runChecks(), stop);
  return conclude(tally, stop);
}

async function changedTests(since: string | undefined): Promise<string[]> {
  const base = baseCommit(since);
  if (base === undefined) {
    const missing = since ? `commit ${since}` : 'origin/main';
    throw new UsageError(`There is no ${missing} here: name another commit with --since COMMIT.`);
  }
  const changed = changedSince(base);
  // Skips the tests in test/, because they need the whole system and take minutes.
  const files = (await allTestFiles()).filter(file => !file.startsWith('test/'));
  const { tests, elsewhere } = affectedTests(await readImportGraph(ROOT), files, changed);
  log(`${changed.length} files differ from ${base.slice(0, 10)}: ${tests.length} test files to run.`);
  if (elsewhere > 0) log(`${elsewhere} test files of other workspaces import the change too; npm test runs them.`);
  return tests;
}

function baseCommit(since: string | undefined): string | undefined {
  try {
    const args =
      since === undefined ? ['merge-base', 'HEAD', 'origin/main'] : ['rev-parse', '--verify', `${since}^{commit}`];
    return git(...args)[0];
  } catch {
    return undefined;
  }
}

const changedSince = (base: string): string[] => [
  ...git('diff', '--name-only', base),
  ...git('ls-files', '--others', '--exclude-standard'),
];

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(line => line !== '');

await runCommand({ help: HELP, parse, run: main });
