import { EVERY } from './burn-rates.ts';
import { yamlOf } from './rules.ts';
import { duration, type Time } from './time.ts';

export interface PrometheusSettings {
  time: Time;
  /** The HOST:PORT of the collector's exports for the services, of its own metrics, and of Alertmanager. */
  metrics: string;
  collector: string;
  alertmanager: string;
  /** The path of the rule files for Prometheus, with a pattern. */
  rules: string;
}

/** Returns Prometheus's configuration. Alerts and dashboards use the names of the two jobs. */
export function prometheusConfig({ time, metrics, collector, alertmanager, rules }: PrometheusSettings): string {
  const every = duration(time.seconds(EVERY));
  return yamlOf({
    global: { scrape_interval: every, scrape_timeout: every === '15s' ? '10s' : every, evaluation_interval: every },
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    scrape_configs: [
      // honor_labels keeps the labels `job` and `instance` of the measuring service.
      { job_name: 'recording-request', honor_labels: true, static_configs: [{ targets: [metrics] }] },
      { job_name: 'collector', static_configs: [{ targets: [collector] }] },
    ],
  });
}
