import type { ConfigResourceTypes, Kafka as KafkaClient } from 'kafkajs';

const HOUR_MS = 3_600_000;
// A literal number, because Node does not find the enum in the package's exports.
export const TOPIC: ConfigResourceTypes.TOPIC = 2;

/**
 * The retention settings of new topics: a record lasts seven days. Kafka removes a whole segment by the age of the
 * segment's newest record, so a record may last `segment.ms` longer. Kafka's default for `segment.ms` is another seven
 * days.
 */
export const RETENTION = [
  { name: 'retention.ms', value: String(7 * 24 * HOUR_MS) },
  { name: 'segment.ms', value: String(6 * HOUR_MS) },
];

/** Returns the longest time in milliseconds that a record can stay in `topics`, according to the topics' settings. */
export async function longestRetention(client: KafkaClient, topics: string[]): Promise<number> {
  const admin = client.admin();
  await admin.connect();
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map(topic => ({
        type: TOPIC,
        name: topic,
        configNames: RETENTION.map(({ name }) => name),
      })),
    });
    const times = resources.map(({ configEntries }) => {
      const [keep, segment] = RETENTION.map(({ name }) => {
        const found = configEntries.find(entry => entry.configName === name);
        return Number(found?.configValue ?? -1);
      });
      return keep! < 0 ? Number.POSITIVE_INFINITY : keep! + Math.max(0, segment!);
    });
    return Math.max(...times);
  } finally {
    await admin.disconnect();
  }
}
