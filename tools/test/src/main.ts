import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { reportFailure } from '@recording-request/stack/report-failure';
import { runChecks } from './checks.ts';
import { log } from './repository.ts';
import { conclude, runTests, stopSignal } from './run-tests.ts';
import { testFilesFor } from './test-files.ts';

const HELP = `npm test [-- [--only TEXT]… [--no-checks] [--help]]

Installs what is missing, starts the real servers while it checks the protocol, the types and the style, and runs every test
but those of the Kubernetes and Compose files (npm run check -- --deploy).

  --only TEXT   only the test files whose path contains TEXT, such as services/media or upload.test.ts; if there are
                none, those that import a file whose path does, such as test/system/suites/secrets.ts; may be given several times
  --no-checks   without the checks of protocol, types and style

npm run check runs the checks, and only the tests that a change calls for.
`;

const OPTIONS = {
  only: { type: 'string', multiple: true },
  'no-checks': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<number> {
  const { values } = parseCommandLine({ options: OPTIONS });
  if (values.help) {
    log(HELP);
    return 0;
  }
  const files = new Set<string>();
  for (const text of values.only ?? ['']) {
    const found = await testFilesFor(text);
    if (found.length === 0) {
      log(`No test file has ${text} in its path, nor imports a file that has.`);
      return 1;
    }
    for (const file of found) files.add(file);
  }
  const stop = stopSignal();
  // The servers start while the checks run.
  const checks = values['no-checks'] ? Promise.resolve({ passed: 0, failed: 0 }) : runChecks();
  const tally = await runTests([...files], checks, stop);
  return conclude(tally, stop);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  reportFailure(error);
}
