import { type Manifest, podOf } from '../manifests.ts';
import { type Finding, fault, inWords, listed, type Part, similar } from './finding.ts';

const OPERATORS = ['Equal', 'Exists'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const CRON_FIELDS = 5;

/** Returns a fault for each toleration and schedule that the API server would refuse, although the schemas allow any text. */
export const placementFindings = (all: Manifest[]): Finding[] => [
  ...all.flatMap(tolerationFaults),
  ...all.flatMap(scheduleFaults),
];

function tolerationFaults(object: Manifest): Finding[] {
  const tolerations: Part[] = podOf(object)?.spec.tolerations ?? [];
  return tolerations.flatMap(toleration => {
    const sentence = faultOf(toleration);
    return sentence
      ? [fault(`${inWords(object)}: the toleration of ${toleration.key ?? 'every key'} ${sentence}.`)]
      : [];
  });
}

function faultOf({ key, operator = 'Equal', value, effect }: Part): string | undefined {
  const wrong = (field: string, text: string, allowed: string[]) =>
    `has the ${field} ${text}: write ${listed(allowed).replace(' and ', ' or ')}${similar(text, allowed)}`;
  if (!OPERATORS.includes(operator)) return wrong('operator', operator, OPERATORS);
  if (effect && !EFFECTS.includes(effect)) return wrong('effect', effect, EFFECTS);
  if (operator === 'Exists' && value)
    return `has the value ${value}, which the operator Exists refuses: remove it, or write Equal`;
  return key || operator === 'Exists' ? undefined : 'has no key: name the key, or write the operator Exists';
}

function scheduleFaults(object: Manifest): Finding[] {
  if (object.kind !== 'CronJob') return [];
  const schedule = String(object.spec.schedule).trim();
  const fields = schedule.split(/\s+/);
  if (schedule.startsWith('@') || fields.length === CRON_FIELDS) return [];
  return [
    fault(
      `${inWords(object)}: the schedule “${schedule}” has ${fields.length} fields: write the minute, hour, day, month and weekday.`,
    ),
  ];
}
