import { alertmanagerConfig } from './alertmanager.ts';
import { dashboardFiles } from './dashboards/all.ts';
import { prometheusConfig } from './prometheus.ts';
import { ruleFiles } from './rules.ts';
import { timeOf } from './time.ts';

export interface FileSettings {
  /** Divides every window and every wait; greater than 1 only in drills. */
  factor: number;
  /** The URL of the runbooks, without a trailing slash. */
  runbooks: string;
  /** The URL of the trace store's pages, without a trailing slash. */
  traces: string;
}

export const DEFAULTS: FileSettings = { factor: 1, runbooks: 'docs/runbooks', traces: 'http://localhost:9411' };

/** Returns every generated file, by its path below deploy/observability. */
export function madeFiles({ factor, runbooks, traces }: FileSettings): Map<string, string> {
  const time = timeOf(factor);
  const under = (folder: string, files: Record<string, string>) =>
    Object.entries(files).map(([name, text]): [string, string] => [`${folder}/${name}`, text]);
  return new Map([
    ...under('dashboards', dashboardFiles({ runbooks, traces })),
    ...under('prometheus/rules', ruleFiles({ time, runbooks })),
    ...under('prometheus', {
      'prometheus.yaml': prometheusConfig({
        time,
        metrics: 'collector:9464',
        collector: 'collector:8888',
        alertmanager: 'alertmanager:9093',
        rules: 'rules/*.yaml',
      }),
    }),
    ...under('alertmanager', {
      'alertmanager.yaml': alertmanagerConfig({
        time,
        page: { urlFile: '/etc/alertmanager/secrets/page-url' },
        ticket: { urlFile: '/etc/alertmanager/secrets/ticket-url' },
      }),
    }),
  ]);
}
