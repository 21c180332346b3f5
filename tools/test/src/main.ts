import { print as log, runCommand } from '@recording-request/harness/command';
import { FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { runChecks } from './checks.ts';
import { conclude, runTests } from './run-tests.ts';
import { testFilesFor } from './test-files.ts';

const HELP = `npm test [-- [--only TEXT]… [--no-checks] [--help]]

Installs missing programs, starts the real servers while it checks the protocol, the types and the style, and runs every test
except those of the Kubernetes and Compose files (npm run check -- --deploy).

  --only TEXT   only the test files whose path contains TEXT, such as services/media or upload.test.ts; if there are
                none, the test files that import such a file, such as test/system/suites/secrets.ts; may be repeated
  --no-checks   skips the checks of protocol, types and style

npm run check runs the checks, and only the tests that a change affects.
`;

const parse = (args: string[]) => parseFlags(args, { only: { ...TEXT, multiple: true }, 'no-checks': FLAG });

async function main(values: ReturnType<typeof parse>, stop: AbortSignal): Promise<number> {
  const files = new Set<string>();
  for (const text of values.only ?? ['']) {
    const found = await testFilesFor(text);
    if (found.length === 0) {
      log(`No test file has ${text} in its path or imports such a file.`);
      return 1;
    }
    for (const file of found) files.add(file);
  }
  // The servers start while the checks run.
  const checks = values['no-checks'] ? Promise.resolve({ passed: 0, failed: 0 }) : runChecks();
  const tally = await runTests([...files], checks, stop);
  return conclude(tally, stop);
}

await runCommand({ help: HELP, parse, run: main });
