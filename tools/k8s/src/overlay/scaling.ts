import { CONSUMERS } from '@recording-request/events/topics';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import type { Manifest } from '../manifests.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, inWords, listed, type Part } from './finding.ts';

const SASL: Readonly<Record<string, string>> = {
  '': 'none',
  PLAIN: 'plaintext',
  'SCRAM-SHA-256': 'scram_sha256',
  'SCRAM-SHA-512': 'scram_sha512',
};

/** Returns a fault for each Kafka trigger of KEDA that differs from the settings of the service that it scales. */
export const scalingFindings = (programs: Program[], all: Manifest[]): Finding[] =>
  all
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap(scaled => {
      const { name, envSourceContainerName } = scaled.spec.scaleTargetRef;
      const program = programs.find(
        ({ object, container }) =>
          object.metadata.name === name &&
          object.metadata.namespace === scaled.metadata.namespace &&
          container.name === (envSourceContainerName ?? container.name),
      );
      if (!program)
        return envSourceContainerName && find(all, 'Deployment', name, scaled.metadata.namespace)
          ? [fault(`${inWords(scaled)}: ${name} has no container ${envSourceContainerName}.`)]
          : [];
      const kafka: Part[] = scaled.spec.triggers.filter(({ type }: Part) => type === 'kafka');
      return kafka.flatMap(trigger =>
        triggerFaults(trigger, program, scaled, all).map(words => fault(`${inWords(scaled)}: ${words}.`)),
      );
    });

/** Returns a fault for each Deployment that two autoscalers scale: each undoes the changes of the other. */
export function doubleScalers(all: Manifest[]): Finding[] {
  const scalers = new Map<string, Manifest[]>();
  for (const object of all) {
    const { kind, name } = object.spec?.scaleTargetRef ?? {};
    if (!name) continue;
    const target = `${object.metadata.namespace} ${kind ?? 'Deployment'} ${name}`;
    scalers.set(target, [...(scalers.get(target) ?? []), object]);
  }
  return [...scalers.values()]
    .filter(some => some.length > 1)
    .map(some =>
      fault(`${listed(some.map(inWords))} scale the same ${some[0]!.spec.scaleTargetRef.name}: keep one of them.`),
    );
}

/** Returns a fault for each autoscaler of webhooks with more pods than partitions: each pod needs a partition. */
export function replicaFaults(programs: Program[], all: Manifest[]): Finding[] {
  const { object, values } = programs.find(({ name }) => name === 'webhooks') ?? {};
  const partitions = Number(values?.KAFKA_PARTITIONS) || kafkaVariables.kafkaPartitions.parse(undefined, {});
  return all
    .filter(({ spec }) => object && spec?.scaleTargetRef?.name === object.metadata.name)
    .flatMap(scaler => {
      const field = scaler.kind === 'ScaledObject' ? 'maxReplicaCount' : 'maxReplicas';
      const most: number = scaler.spec[field] ?? 0;
      return most > partitions
        ? [
            fault(
              `${inWords(scaler)}: ${field} is ${most}, but KAFKA_PARTITIONS is ${partitions}, and other pods would do nothing: lower ${field}.`,
            ),
          ]
        : [];
    });
}

function triggerFaults(
  { metadata, authenticationRef }: Part,
  program: Program,
  scaled: Manifest,
  all: Manifest[],
): string[] {
  const { values } = program;
  const prefix = values.KAFKA_TOPIC_PREFIX ?? '';
  const groups = CONSUMERS.filter(([, group]) => `${prefix}${group}` === metadata.consumerGroup);
  const topics = groups.map(([topic]) => `${prefix}${topic}`);
  const { tls = 'disable', sasl = 'none', bootstrapServers: brokers, bootstrapServersFromEnv: variable } = metadata;
  const mechanism = values.KAFKA_SASL_MECHANISM ?? '';
  const wanted = { tls: values.KAFKA_TLS === 'true' ? 'enable' : 'disable', sasl: SASL[mechanism] };
  const remedy = (field: string) => (authenticationRef ? `: patch ${field}` : ': use the component scaling/keda-login');
  const checks: [isFault: boolean, words: string][] = [
    [
      groups.length === 0,
      `no service has the consumer group ${metadata.consumerGroup}${prefix && ` with KAFKA_TOPIC_PREFIX “${prefix}”`}${prefixPatch(metadata, prefix)}`,
    ],
    [
      groups.length > 0 && !topics.includes(metadata.topic),
      `the group ${metadata.consumerGroup} reads the topic ${listed(topics)}, not ${metadata.topic}`,
    ],
    [brokers !== undefined && brokers !== values.KAFKA_BROKERS, 'bootstrapServers differs from KAFKA_BROKERS'],
    [variable !== undefined && !values[variable], `${variable} is not among the variables of ${program.name}`],
    [wanted.sasl === undefined, `KEDA cannot log in with ${mechanism}: use scaling/cpu`],
    [
      wanted.tls !== tls,
      `tls is ${tls}, but with KAFKA_TLS=${values.KAFKA_TLS ?? 'false'} it must be ${wanted.tls}${remedy('tls')}`,
    ],
    [
      wanted.sasl !== undefined && wanted.sasl !== sasl,
      `sasl is ${sasl}, but with KAFKA_SASL_MECHANISM=${mechanism} it must be ${wanted.sasl}${remedy('sasl')}`,
    ],
    [
      (sasl !== 'none' || tls === 'enable') && !authenticationRef && Boolean(mechanism),
      'authenticationRef is missing: use the component scaling/keda-login',
    ],
  ];
  const login = authenticationRef && loginFault(authenticationRef, program, scaled, all);
  return [...checks.filter(([isFault]) => isFault).map(([, words]) => words), ...(login ? [login] : [])];
}

/** Returns the words about a patch for a trigger whose topic and group lack the prefix; empty for other triggers. */
function prefixPatch({ consumerGroup, topic }: Part, prefix: string): string {
  const isOurs = CONSUMERS.some(each => each[0] === topic && each[1] === consumerGroup);
  return prefix && isOurs
    ? `: patch the trigger to consumerGroup: ${prefix}${consumerGroup} and topic: ${prefix}${topic}`
    : '';
}

function loginFault(
  { name, kind }: Part,
  { container, name: service }: Program,
  { metadata }: Manifest,
  all: Manifest[],
) {
  if (kind === 'ClusterTriggerAuthentication') return undefined;
  const login = find(all, 'TriggerAuthentication', name, metadata.namespace);
  if (!login) return `there is no TriggerAuthentication ${name}`;
  const variables = new Set((container.env ?? []).map((each: Part) => each.name));
  const missing = (login.spec.env ?? []).find((each: Part) => !variables.has(each.name));
  return (
    missing && `TriggerAuthentication ${name} reads ${missing.name}, which the container of ${service} does not have`
  );
}
