import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alertmanagerConfig } from '@recording-request/observe/definitions/alertmanager';
import { ruleFiles } from '@recording-request/observe/definitions/rules';
import { timeOf } from '@recording-request/observe/definitions/time';
import { type Observability, startObservability } from '@recording-request/observe/start-observability';

/** The interval of a service's exports, of scrapes, and of rule evaluations. */
const SCRAPE_MS = 1_000;
/** Three export intervals of a service in production. */
const SILENT_MS = 45_000;
/** A process on a busy machine must not look like one that has ended. */
const SILENT_LEAST_MS = 8_000;

/**
 * Starts the collector, Prometheus and Alertmanager with the rules of deploy/observability, with divided windows and waits, and sends every
 * notification to the pager.
 */
export async function openObservability({
  dataDir,
  pagerUrl,
  factor,
  ...how
}: {
  dataDir: string;
  pagerUrl: string;
  factor: number;
  log(line: string): void;
  signal: AbortSignal;
}): Promise<Observability> {
  const time = timeOf(factor);
  const made = join(dataDir, 'divided');
  const rulesDir = join(made, 'rules');
  await mkdir(rulesDir, { recursive: true });
  for (const [name, text] of Object.entries(ruleFiles({ time, runbooks: 'docs/runbooks' })))
    await writeFile(join(rulesDir, name), text);
  const alertmanagerFile = join(made, 'alertmanager.yaml');
  const pager = { url: pagerUrl };
  await writeFile(alertmanagerFile, alertmanagerConfig({ time, page: pager, ticket: pager }));
  return await startObservability({
    dataDir: join(dataDir, 'observability'),
    ...{
      rulesDir,
      alertmanagerFile,
      scrapeMs: SCRAPE_MS,
      silentMs: Math.max(SILENT_MS / factor, SILENT_LEAST_MS),
      notifyUrl: pagerUrl,
    },
    ...how,
  });
}
