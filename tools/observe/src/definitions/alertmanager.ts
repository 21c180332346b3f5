import { EXPLAINS } from './explains.ts';
import { yamlOf } from './rules.ts';
import { DAY, duration, HOUR, MINUTE, type Time } from './time.ts';

/** The receiver of alerts of each severity: a URL, or a file that contains the URL, so that the configuration does not. */
export type Receiver = { url: string } | { urlFile: string };

export interface AlertmanagerSettings {
  time: Time;
  page: Receiver;
  ticket: Receiver;
}

const webhook = (receiver: Receiver) =>
  'url' in receiver ? { url: receiver.url, send_resolved: true } : { url_file: receiver.urlFile, send_resolved: true };

/**
 * Returns Alertmanager's configuration, which separates pages from tickets and silences explained alerts. During
 * `group_wait`, the alert about the cause can arrive before Alertmanager looks for it.
 */
export function alertmanagerConfig({ time, page, ticket }: AlertmanagerSettings): string {
  return yamlOf({
    route: {
      receiver: 'tickets',
      group_by: ['alertname', 'job'],
      group_wait: duration(time.seconds(30, 5)),
      group_interval: duration(time.seconds(5 * MINUTE, 5)),
      repeat_interval: duration(DAY),
      routes: [{ receiver: 'pages', matchers: ['severity="page"'], repeat_interval: duration(4 * HOUR) }],
    },
    receivers: [
      { name: 'pages', webhook_configs: [webhook(page)] },
      { name: 'tickets', webhook_configs: [webhook(ticket)] },
    ],
    inhibit_rules: [
      ...Object.entries(EXPLAINS).map(([cause, effects]) => ({
        source_matchers: [`alertname="${cause}"`, ...(cause.endsWith('Burns') ? ['severity="page"'] : [])],
        target_matchers: [`alertname=~"${effects.join('|')}"`],
      })),
      // For one promise, the most urgent alert is enough.
      {
        source_matchers: ['severity="page"'],
        target_matchers: ['severity="ticket"'],
        equal: ['alertname', 'objective'],
      },
    ],
  });
}
