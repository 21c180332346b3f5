import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Child } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import { answers, type ServerContext, startServer } from './server.ts';

/** Starts Prometheus on a free port of 127.0.0.1. It scrapes the collector, and loads the rules in `rulesDir`. */
export async function startPrometheus(
  program: string,
  options: {
    scrape: { services: string; itself: string };
    alertmanagerAddress: string;
    rulesDir: string;
    scrapeMs: number;
  },
  context: ServerContext,
): Promise<{ child: Child; url: string }> {
  const { dataDir } = context;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const rules = await rulesOf(options.rulesDir);
  const config = join(dataDir, 'prometheus.json');
  // Writes JSON, because YAML is a superset of JSON.
  await writeFile(config, JSON.stringify(configuration({ ...options, rules, itself: `127.0.0.1:${port}` }), null, 2));
  const child = await startServer(
    {
      name: 'prometheus',
      command: program,
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(dataDir, 'prometheus')}`,
        '--storage.tsdb.retention.size=512MB',
        '--storage.tsdb.retention.time=2d',
        '--enable-feature=exemplar-storage',
        '--query.timeout=20s',
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      isReady: limit => answers(`${url}/-/ready`, limit),
    },
    context,
  );
  return { child, url };
}

async function rulesOf(dir: string): Promise<string[]> {
  const names = await readdir(dir);
  return names.filter(name => /\.ya?ml$/.test(name)).map(name => join(dir, name));
}

function configuration(options: {
  scrape: { services: string; itself: string };
  itself: string;
  alertmanagerAddress: string;
  rules: string[];
  scrapeMs: number;
}): object {
  const { scrape, itself, alertmanagerAddress, rules, scrapeMs } = options;
  const interval = `${scrapeMs}ms`;
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: rules,
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanagerAddress] }] }] },
    scrape_configs: [
      // Honors the labels of each series, because they name its service and process.
      { job_name: 'recording-request', honor_labels: true, static_configs: [{ targets: [scrape.services] }] },
      { job_name: 'collector', static_configs: [{ targets: [scrape.itself] }] },
      { job_name: 'prometheus', static_configs: [{ targets: [itself] }] },
    ],
  };
}
