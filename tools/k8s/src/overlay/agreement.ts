import { variablesRead } from './configuration.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, inWords, listed } from './finding.ts';
import { serversIn } from './servers.ts';

/** The settings that locate the installation's data. */
const COMMON = ['S3_ENDPOINT', 'S3_BUCKET', 'KAFKA_BROKERS', 'KAFKA_TOPIC_PREFIX', 'MONGO_DATABASE_PREFIX'];

/** Returns faults about settings that contradict another service's settings, or another setting of the same service. */
export async function agreementFindings(programs: Program[]): Promise<Finding[]> {
  const commonFaults = await Promise.all(COMMON.map(variable => commonFault(variable, programs)));
  return [...commonFaults.flat(), ...programs.flatMap(telemetryFaults), ...programs.flatMap(backupFaults)];
}

/** Returns a fault if services have different values of a setting, such as one from a service's own ConfigMap. */
async function commonFault(variable: string, programs: Program[]): Promise<Finding[]> {
  const users: { name: string; value: string }[] = [];
  for (const { name, values, lacksSettings } of programs)
    if (!lacksSettings && (await variablesRead(name)).has(variable))
      users.push({ name, value: values[variable] ?? '' });
  const inOrder = (value: string) =>
    value
      .split(',')
      .map(each => each.trim())
      .sort()
      .join();
  const groups = [...Map.groupBy(users, ({ value }) => inOrder(value)).values()].sort((a, b) => b.length - a.length);
  if (groups.length < 2) return [];
  const words = groups.map(
    group => `${group[0]!.value || 'not set'} for ${listed([...new Set(group.map(({ name }) => name))])}`,
  );
  const rest = words.slice(1).join(', and ');
  return [fault(`${variable} is ${words[0]}, but ${rest}: set it once, in the settings of all services.`)];
}

const PORTS: Readonly<Record<number, 'grpc' | 'http'>> = { 4317: 'grpc', 4318: 'http' };

/** Returns a fault if the setting's protocol does not fit the collector's port. */
function telemetryFaults({ values }: Program): Finding[] {
  return ['', 'TRACES_', 'METRICS_', 'LOGS_'].flatMap(signal => {
    const variable = `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`;
    const own = `OTEL_EXPORTER_OTLP_${signal}PROTOCOL`;
    const protocol = values[own] || values.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
    const port = serversIn(values[variable] ?? '')[0]?.port ?? 0;
    const expected = PORTS[port];
    if (!expected || protocol.startsWith(expected)) return [];
    const [wanted, other] = expected === 'grpc' ? ['grpc', 4318] : ['http/protobuf', 4317];
    return [
      fault(
        `${variable} has the port ${port}, where a collector expects ${wanted}, but ${own} is ${protocol}: set ${own}=${wanted}, or the port ${other}.`,
      ),
    ];
  });
}

/** Returns a fault for a backup into the bucket of the clips, because it would be lost with them. */
function backupFaults({ name, object, container, values }: Program): Finding[] {
  const args: string[] = container.args ?? [];
  const [, bucket] = /^s3:\/\/([^/]+)/.exec(args[args.indexOf('--to') + 1] ?? '') ?? [];
  const isSameStore = !values.BACKUP_S3_ENDPOINT || values.BACKUP_S3_ENDPOINT === values.S3_ENDPOINT;
  return name === 'backup' && bucket && bucket === values.S3_BUCKET && isSameStore
    ? [fault(`${inWords(object)} writes to ${bucket}, which is S3_BUCKET itself: name another bucket in --to.`)]
    : [];
}
