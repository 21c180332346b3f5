import { newEvent } from '@recording-request/events/event';
import { outboxEntry } from '@recording-request/events/kafka';
import { PoisonError } from '@recording-request/kit-kafka/consumer';
import { RecordTooLargeError } from '@recording-request/kit-kafka/producer';
import { sealData } from '../adapters/feed-data.ts';
import type { Context } from '../context.ts';
import type { FeedEvent } from '../domain/feed.ts';

/**
 * Publishes an event for its owner's feed. `data` is undefined if it was erased. Fails if Kafka does not accept the
 * record. The caller then repeats the whole event, and the feed ignores the repetition.
 */
export async function publishToFeed(
  { kafka, secrets }: Pick<Context, 'kafka' | 'secrets'>,
  event: Omit<FeedEvent, 'data' | 'dataBytes'>,
  data: object | undefined,
): Promise<void> {
  const { id, ownerId, projectId, submissionId, erasedSubmissionId = '', tokenId, type: eventType, createdAt } = event;
  const { origin = '' } = event;
  const json = data === undefined ? '' : JSON.stringify(data);
  const value = {
    ...{ ownerId, projectId, submissionId, erasedSubmissionId, tokenId, origin, eventType, createdAt },
    data: json === '' ? '' : await sealData(secrets, id, json),
    dataBytes: Buffer.byteLength(json),
  };
  const record = outboxEntry(newEvent('owner.event', { $case: 'ownerEvent', value }, id));
  const [failure] = await kafka.publishRecords([record]);
  if (failure instanceof RecordTooLargeError)
    throw new PoisonError(`the event has ${record.value.length} bytes, more than a record of owners.events may have`);
  if (failure) throw failure;
}
