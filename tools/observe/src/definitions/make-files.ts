import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { reportFailure } from '@recording-request/stack/report-failure';
import { DEFAULTS, madeFiles } from './files.ts';

const HELP = `npm run dashboards [-- OPTIONS]

Writes Prometheus's rules, Alertmanager's configuration and the dashboards below deploy/observability. They are tracked, so that they can be
used from a checkout; npm test says when they are out of date.

  --out DIR         write below DIR instead, for an installation of yours
  --runbooks URL    where its alerts say that the runbooks are (${DEFAULTS.runbooks})
  --traces URL      where its dashboards say that the trace store is (${DEFAULTS.traces})
  --factor N        divide every window and every wait by N, from 1 to 60, for drills (${DEFAULTS.factor}); needs --out
`;

const DEPLOYED = fileURLToPath(new URL('../../../../deploy/observability', import.meta.url));

function options() {
  const text = { type: 'string' } as const;
  const { values } = parseCommandLine({
    options: { out: text, runbooks: text, traces: text, factor: text, help: { type: 'boolean' } },
  });
  const factor = Number(values.factor ?? DEFAULTS.factor);
  if (!(factor >= 1 && factor <= 60))
    throw new UsageError(`--factor takes a number from 1 to 60, not "${values.factor}".`);
  if (factor !== 1 && !values.out) throw new UsageError('--factor needs --out: what is tracked has the factor 1.');
  const { runbooks = DEFAULTS.runbooks, traces = DEFAULTS.traces } = values;
  return { help: values.help, out: values.out ?? DEPLOYED, settings: { factor, runbooks, traces } };
}

try {
  const { help, out, settings } = options();
  if (help) process.stdout.write(HELP);
  else {
    const files = madeFiles(settings);
    for (const [path, content] of files) {
      await mkdir(dirname(join(out, path)), { recursive: true });
      await writeFile(join(out, path), content);
    }
    process.stdout.write(`${out}: ${files.size} files; windows and waits divided by ${settings.factor}\n`);
  }
} catch (error) {
  reportFailure(error);
}
