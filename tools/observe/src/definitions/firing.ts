import { EXPLAINS, type Selection } from './explains.ts';
import type { RecordingRule } from './recording-rules.ts';

const FIRING = 'alertstate="firing"';
const firing = ({ alerts, labels = {} }: Selection): string =>
  `ALERTS{${[FIRING, ...Object.entries({ alertname: alerts.join('|'), ...labels }).map(([name, values]) => `${name}=~"${values}"`)].join(', ')}}`;
const zero = (severity: string) => `label_replace(vector(0), "severity", "${severity}", "", "")`;

/**
 * Returns the rule that counts the firing alerts of each severity. Uses the explanations to omit the alerts that
 * Alertmanager silences, because Prometheus does not know Alertmanager's decisions.
 */
export function firingRules(): RecordingRule[] {
  const explained = EXPLAINS.map(
    ({ cause, effects, equal = [] }) => `unless (${firing(effects)} and on(${equal.join(', ')}) ${firing(cause)})`,
  );
  const loud = [`ALERTS{${FIRING}}`, ...explained].join('\n');
  return [
    {
      record: 'recording:firing_alerts:count',
      expr: `count by (severity) (${loud})\nor ${zero('page')}\nor ${zero('ticket')}`,
    },
  ];
}
