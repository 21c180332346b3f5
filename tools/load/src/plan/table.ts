import { tableOf } from '@recording-request/harness/table';
import type { Measured } from './costs.ts';
import type { Plan } from './plan.ts';

const GIGA = 1e9;
const MONTH_DAYS = 30;

const number = (value: number, digits = 1) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const bytes = (value: number) =>
  value >= 1000 * GIGA ? `${number(value / GIGA / 1000)} TB` : `${number(value / GIGA)} GB`;
const bits = (value: number) => `${number(value / 1e6)} Mbit/s`;

/** Returns a sentence with the source of the figures. */
export const sourceOf = ({ at, command, machine }: Measured): string =>
  `Costs of a clip: measured on ${at.slice(0, 10)} with ${command} (${machine.cpus} processors, ${machine.model}, Node ${machine.node}).`;

/** Returns several plans as a table, with one column each. */
export function plansTable(plans: Plan[]): string {
  const services = plans[0]!.services.map(({ name }) => [
    `pods of ${name}`,
    ...plans.map(plan => String(plan.services.find(each => each.name === name)!.replicas)),
  ]);
  const servers = plans[0]!.servers.map(({ name }) => [
    `processors of ${name}`,
    ...plans.map(plan => number(plan.servers.find(each => each.name === name)!.cores, 2)),
  ]);
  const row = (what: string, value: (plan: Plan) => string) => [what, ...plans.map(value)];
  const rows = [
    row('clips a minute', ({ demand }) => number(demand.clipsPerMinute, 0)),
    ...services,
    row('processors of the pods', ({ services: all }) => number(all.reduce((sum, { cores }) => sum + cores, 0))),
    ...servers,
    row('KAFKA_PARTITIONS', ({ partitions }) => String(partitions)),
    row('object store, a day', ({ bytes: kept }) => bytes(kept.storedPerDay)),
    row('object store, a month', ({ bytes: kept }) => bytes(kept.storedPerDay * MONTH_DAYS)),
    row('MongoDB, a month', ({ bytes: kept }) => bytes(kept.databasePerDay * MONTH_DAYS)),
    row('Kafka, seven days', ({ bytes: kept }) => bytes(kept.eventsPerDay * 7)),
    row('from contributors', ({ bandwidth }) => bits(bandwidth.in)),
    row('into the store', ({ bandwidth }) => bits(bandwidth.toStore)),
    row('out of the store', ({ bandwidth }) => bits(bandwidth.fromStore)),
  ];
  const { demand, limits } = plans[0]!;
  return [
    `Clips of ${number(demand.seconds)} s and ${number(demand.megabytes)} MB:`,
    '',
    tableOf(rows, [1, 2, 3]),
    '',
    '  Limits of the installation, in clips a minute:',
    ...limits.map(({ what, clipsPerMinute }) => `  ${number(clipsPerMinute, 0).padStart(8)}   ${what}`),
    '',
  ].join('\n');
}
