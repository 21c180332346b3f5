import { EXPLAINS, type Selection } from './explains.ts';
import { yamlOf } from './rules.ts';
import { DAY, duration, HOUR, MINUTE, type Time } from './time.ts';

/**
 * The receiver of alerts of one severity: a URL, or a file that contains the URL. With a file, the configuration does
 * not contain the URL.
 */
export type Receiver = { url: string } | { urlFile: string };

export interface AlertmanagerSettings {
  time: Time;
  page: Receiver;
  ticket: Receiver;
}

/** Longer than one evaluation of the rules, so that the alert about the cause of a symptom fires in time. */
const PAGE_WAIT = 20;

const webhook = (receiver: Receiver) =>
  'url' in receiver ? { url: receiver.url, send_resolved: true } : { url_file: receiver.urlFile, send_resolved: true };

/**
 * Returns Alertmanager's configuration, which separates pages from tickets and silences explained alerts.
 * Alertmanager looks for the cause only after `group_wait`, so that the alert about the cause can arrive. One page
 * contains all alerts of one name, because one fault may affect several processes.
 */
export function alertmanagerConfig({ time, page, ticket }: AlertmanagerSettings): string {
  return yamlOf({
    route: {
      receiver: 'tickets',
      group_by: ['alertname'],
      group_wait: duration(time.seconds(PAGE_WAIT, 5)),
      group_interval: duration(time.seconds(MINUTE, 5)),
      repeat_interval: duration(DAY),
      routes: [{ receiver: 'pages', matchers: ['severity="page"'], repeat_interval: duration(4 * HOUR) }],
    },
    receivers: [
      { name: 'pages', webhook_configs: [webhook(page)] },
      { name: 'tickets', webhook_configs: [webhook(ticket)] },
    ],
    inhibit_rules: EXPLAINS.map(({ cause, effects, equal }) => ({
      source_matchers: matchersOf(cause),
      target_matchers: matchersOf(effects),
      ...(equal && { equal }),
    })),
  });
}

const matchersOf = ({ alerts, labels = {} }: Selection): string[] =>
  Object.entries({ alertname: alerts.join('|'), ...labels }).map(([name, values]) => `${name}=~"${values}"`);
