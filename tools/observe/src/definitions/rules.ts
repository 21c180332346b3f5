import { stringify } from 'yaml';
import type { Alert } from './alert.ts';
import { PROCESS_ALERTS } from './alerts/processes.ts';
import { SERVER_ALERTS } from './alerts/servers.ts';
import { WAIT_ALERTS } from './alerts/waits.ts';
import { burnRateAlerts, EVERY } from './burn-rates.ts';
import {
  budgetRules,
  instanceRules,
  LONG_WINDOW,
  objectiveRules,
  type RecordingRule,
  serverRules,
} from './recording-rules.ts';
import { duration, MINUTE, type Time } from './time.ts';

export interface RuleSettings {
  time: Time;
  /** The URL of the runbooks, to which NAME.md is appended. */
  runbooks: string;
}

/** An alerting rule in Prometheus's format. */
export interface AlertingRule {
  alert: string;
  expr: string;
  for: string;
  keep_firing_for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface RuleGroup {
  name: string;
  interval: string;
  rules: (RecordingRule | AlertingRule)[];
}

function alertingRule({ time, runbooks }: RuleSettings, alert: Alert): AlertingRule {
  const { name, about, severity, labels, summary, description } = alert;
  return {
    alert: name,
    expr: alert.expr(time),
    for: duration(time.seconds(alert.forSeconds, alert.leastForSeconds)),
    ...(alert.keepSeconds && { keep_firing_for: duration(time.seconds(alert.keepSeconds)) }),
    labels: { severity, about, ...labels },
    annotations: { summary, description, runbook_url: `${runbooks}/${name}.md` },
  };
}

/** Returns the groups of rules, each under the name of its file. Prometheus evaluates the rules of a group in sequence. */
export function ruleGroups(settings: RuleSettings): Record<string, RuleGroup[]> {
  const { time } = settings;
  const every = duration(time.seconds(EVERY));
  const seldom = duration(time.seconds(MINUTE));
  const alerts = (list: readonly Alert[]) => list.map(alert => alertingRule(settings, alert));
  return {
    objectives: [
      { name: 'objectives', interval: every, rules: objectiveRules(time, 0, LONG_WINDOW) },
      {
        name: 'objectives-of-days',
        interval: seldom,
        rules: [...objectiveRules(time, LONG_WINDOW, Number.POSITIVE_INFINITY), ...budgetRules()],
      },
      { name: 'objective-alerts', interval: every, rules: alerts(burnRateAlerts()) },
    ],
    causes: [
      { name: 'servers-and-processes', interval: every, rules: [...serverRules(time), ...instanceRules(time)] },
      { name: 'server-alerts', interval: every, rules: alerts(SERVER_ALERTS) },
      { name: 'process-alerts', interval: every, rules: alerts(PROCESS_ALERTS) },
    ],
    waits: [{ name: 'wait-alerts', interval: every, rules: alerts(WAIT_ALERTS) }],
  };
}

/** Returns the rule files by name, without a folder. */
export function ruleFiles(settings: RuleSettings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ruleGroups(settings)).map(([name, groups]) => [`${name}.yaml`, yamlOf({ groups })]),
  );
}

const NOTE = '# Made by npm run dashboards from tools/observe/src/definitions: change it there.\n';

/** Returns `value` as a YAML document that names its source. */
export const yamlOf = (value: unknown): string =>
  NOTE + stringify(value, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false });
