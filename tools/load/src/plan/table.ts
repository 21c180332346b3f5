import type { Measured } from './costs.ts';
import type { Plan } from './plan.ts';

const GIGA = 1e9;
const MONTH_DAYS = 30;

const number = (value: number, digits = 1) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const bytes = (value: number) =>
  value >= 1000 * GIGA ? `${number(value / GIGA / 1000)} TB` : `${number(value / GIGA)} GB`;
const bits = (value: number) => `${number(value / 1e6)} Mbit/s`;

/** Returns the source of the figures. */
export const sourceOf = ({ at, command, machine }: Measured): string =>
  `Costs of a clip: measured on ${at.slice(0, 10)} with ${command} (${machine.cpus} processors, ${machine.model}, Node ${machine.node}).`;

export function linesOf(plan: Plan): string {
  const { demand, services, servers, bytes: kept, bandwidth, limits } = plan;
  const rows = [
    ['service', 'processors used', 'pods'],
    ...services.map(({ name, cores, replicas }) => [name, number(cores, 2), String(replicas)]),
    ...servers.map(({ name, cores }) => [name, number(cores, 2), 'of yours']),
  ];
  const first = limits[0]!;
  const reached = limits.filter(({ clipsPerMinute }) => clipsPerMinute < demand.clipsPerMinute);
  return [
    `${demand.clipsPerMinute} clips a minute, each of ${number(demand.seconds)} s and ${number(demand.megabytes)} MB:`,
    '',
    ...rows.map(([name, cores, count]) => `  ${name!.padEnd(15)}${cores!.padStart(16)}${count!.padStart(10)}`),
    '',
    `  KAFKA_PARTITIONS      ${plan.partitions}`,
    `  object store          ${bytes(kept.storedPerDay)} a day, ${bytes(kept.storedPerDay * MONTH_DAYS)} a month`,
    `  MongoDB               ${bytes(kept.databasePerDay)} a day, ${bytes(kept.databasePerDay * MONTH_DAYS)} a month, before compression`,
    `  Kafka                 ${bytes(kept.eventsPerDay * 7)} for seven days of records, for each replica`,
    `  bandwidth             ${bits(bandwidth.in)} from contributors; ${bits(bandwidth.toStore)} into the store, ${bits(bandwidth.fromStore)} out of it, without owners' reads`,
    '',
    `  First limit of the installation: ${first.what}, at ${number(first.clipsPerMinute, 0)} clips a minute.`,
    ...(reached.length > 1 ? ['  Limits below this rate, in order:'] : []),
    ...(reached.length > 1
      ? reached.map(({ what, clipsPerMinute }) => `    ${number(clipsPerMinute, 0).padStart(7)}   ${what}`)
      : []),
    '',
  ].join('\n');
}

/** Returns several plans, a column each. */
export function tableOf(plans: Plan[]): string {
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
  ];
  const { demand, limits } = plans[0]!;
  const lines = rows.map(
    ([what, ...values]) => `  ${what!.padEnd(26)}${values.map(value => value.padStart(16)).join('')}`,
  );
  return [
    `Clips of ${number(demand.seconds)} s and ${number(demand.megabytes)} MB:`,
    '',
    ...lines,
    '',
    '  Limits of the installation, in clips a minute:',
    ...limits.map(({ what, clipsPerMinute }) => `  ${number(clipsPerMinute, 0).padStart(8)}   ${what}`),
    '',
  ].join('\n');
}
