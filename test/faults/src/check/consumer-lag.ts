import type { Admin } from 'kafkajs';

/** The lag of a consumer group on a topic. */
export interface ConsumerLag {
  topic: string;
  group: string;
  records: number;
}

const GROUPS = {
  'media.work': ['media'],
  'transcription.work': ['transcription'],
  'submissions.events': ['webhooks'],
  'webhooks.events': ['webhooks-events'],
  'projects.events': ['webhooks-projects'],
  'owners.events': ['webhooks-feed'],
  'media.events': ['submissions'],
  'transcription.events': ['submissions-transcripts'],
  parked: ['submissions-dead-letters'],
};

/** Returns the lag of each group of the product, whose topics and groups begin with `prefix`. */
export async function consumerLags(admin: Admin, prefix: string): Promise<ConsumerLag[]> {
  const lags: ConsumerLag[] = [];
  for (const [topic, groups] of Object.entries(GROUPS)) {
    const ends = await admin.fetchTopicOffsets(prefix + topic);
    for (const group of groups) {
      const [read] = await admin.fetchOffsets({ groupId: prefix + group, topics: [prefix + topic] });
      const records = ends.reduce((sum, { partition, high }) => {
        const at = Number(read?.partitions.find(it => it.partition === partition)?.offset ?? -1);
        return sum + Number(high) - Math.max(0, at);
      }, 0);
      lags.push({ topic, group, records });
    }
  }
  return lags;
}
