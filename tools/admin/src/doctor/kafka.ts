import { once } from 'node:events';
import { connect } from 'node:net';
import { TOPICS } from '@recording-request/events/topics';
import { bounded } from '@recording-request/kit/bounds';
import { loadConfig } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { type Consumer, type GroupState, inspectKafka, type KafkaState } from '@recording-request/kit-kafka/inspect';
import { type KafkaSettings, kafkaVariables } from '@recording-request/kit-kafka/variables';
import { type Line, note, ok, wrong } from './finding.ts';
import { reasonOf } from './reason.ts';

/** Connects with the login of the settings, and looks for topics, replicas and consumer groups. */
export async function kafkaLines(
  env: NodeJS.ProcessEnv,
  consumers: readonly Consumer[],
  limitMs: number,
): Promise<Line[]> {
  const settings = loadConfig(env, kafkaVariables);
  const state = await inspectKafka(settings, { topics: TOPICS, consumers, limitMs });
  const unreachable = await Promise.all(state.brokers.map(broker => brokerLines(broker, limitMs)));
  const count = `${state.brokers.length} ${state.brokers.length === 1 ? 'broker answers' : 'brokers answer'}`;
  const login = settings.kafkaSaslMechanism || 'no login';
  return [
    ok(`${count} (${settings.kafkaTls ? 'TLS' : 'no TLS'}, ${login})`),
    ...unreachable.flat(),
    ...topicLines(settings, state),
    ...state.groups.map(groupLine),
  ];
}

/** A group without members is not a fault: the doctor may run before the services. */
function groupLine({ name, members, assigned, partitions, waiting = 0n }: GroupState): Line {
  if (members === 0) return note(`no process reads for the group ${name} now; ${waiting} events wait`);
  const reads = `${members} ${members === 1 ? 'member' : 'members'} of the group ${name}: ${assigned} of ${partitions} partitions are read, ${waiting} events wait`;
  return assigned === partitions ? ok(reads) : note(`${reads}; restart the service so that it reads all of them`);
}

function topicLines(settings: KafkaSettings, { partitions, missing }: KafkaState): Line[] {
  if (missing.length > 0)
    return [wrong(`these topics do not exist, or may not be described: ${missing.join(', ')}; run ${MIGRATE_COMMAND}`)];
  const few = [...partitions].filter(([, count]) => count < settings.kafkaPartitions);
  return [
    ok(`all ${partitions.size} topics exist, with enough replicas`),
    ...few.map(([topic, count]) =>
      note(
        `${topic} has ${count} partitions, and KAFKA_PARTITIONS asks for ${settings.kafkaPartitions}: migrate again`,
      ),
    ),
  ];
}

/** Clients connect to the address that a broker advertises, which may differ from KAFKA_BROKERS. */
async function brokerLines({ host, port }: { host: string; port: number }, limitMs: number): Promise<Line[]> {
  const socket = connect({ host, port });
  try {
    await bounded(once(socket, 'connect'), limitMs, 'a connection');
    return [];
  } catch (error) {
    return [
      wrong(`the broker at ${host}:${port}, an address that Kafka advertises, cannot be used: ${reasonOf(error)}`),
    ];
  } finally {
    socket.destroy();
  }
}
