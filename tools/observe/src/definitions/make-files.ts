import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print, runCommand } from '@recording-request/harness/command';
import { decimal, parseFlags, TEXT } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';
import { DEFAULTS, madeFiles } from './files.ts';

const HELP = `npm run dashboards [-- OPTIONS]

Writes Prometheus's rules, Alertmanager's configuration and the dashboards to deploy/observability. Git tracks them, so that a checkout
has them; npm test fails when they are out of date.

  --out DIR         write to DIR instead, for your installation
  --runbooks URL    the runbooks' address in alerts (${DEFAULTS.runbooks})
  --traces URL      the trace store's address in dashboards (${DEFAULTS.traces})
  --factor N        divide every window and every wait by N, from 1 to 60, for drills (${DEFAULTS.factor}); needs --out
`;

const DEPLOYED = fileURLToPath(new URL('../../../../deploy/observability', import.meta.url));

function parse(args: string[]) {
  const {
    runbooks = DEFAULTS.runbooks,
    traces = DEFAULTS.traces,
    out,
    help,
    ...values
  } = parseFlags(args, {
    ...{ out: TEXT, runbooks: TEXT, traces: TEXT, factor: TEXT },
  });
  const factor = decimal('--factor', values.factor ?? String(DEFAULTS.factor), { min: 1, max: 60 });
  if (factor !== 1 && !out) throw new UsageError('--factor needs --out: the tracked files have the factor 1.');
  return { help, out: out ?? DEPLOYED, settings: { factor, runbooks, traces } };
}

async function write({ out, settings }: ReturnType<typeof parse>): Promise<void> {
  const files = madeFiles(settings);
  for (const [path, content] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), content);
  }
  print(`${out}: ${files.size} files; windows and waits divided by ${settings.factor}`);
}

await runCommand({ help: HELP, parse, run: write });
