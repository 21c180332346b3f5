import type { Message } from 'kafkajs';
import { isTooLarge } from './producer.ts';
import type { TakenRecord } from './record.ts';

/** A record that a consumer could not handle: whose it was, and why. */
export interface DeadLetter {
  /** Without the prefix. */
  topic: string;
  partition: number;
  offset: string;
  group: string;
  /** A sentence for the operator. */
  reason: string;
  key: Buffer | null;
  value: Buffer | null;
  /** It was too large for another record: `value` is null, and what it was stays in its topic until that ends it. */
  tooLarge: boolean;
}

const KEY_BYTES = 1_024;
const WITHOUT = 'parked-without';
const REPLAYED_FOR = 'replayed-for';

/** Sends a record to the dead letters, without its value where it would be too large. */
export async function sendDeadLetter(
  send: (message: Message) => Promise<void>,
  { key, value, partition, offset }: TakenRecord,
  from: { topic: string; group: string; reason: string },
): Promise<void> {
  const headers = {
    'parked-from': from.topic,
    'parked-by': from.group,
    'parked-reason': from.reason,
    'parked-partition': String(partition),
    'parked-offset': offset,
  };
  try {
    await send({ key, value, headers });
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const shortKey = key && key.length <= KEY_BYTES ? key : null;
    await send({ key: shortKey, value: null, headers: { ...headers, [WITHOUT]: 'its value' } });
  }
}

/** Returns the dead letter that a record of the dead letter topic is; undefined where it is none. */
export function readDeadLetter({ key, value, headers }: TakenRecord): DeadLetter | undefined {
  const { 'parked-from': topic, 'parked-by': group, 'parked-offset': offset } = headers;
  const partition = Number(headers['parked-partition']);
  if (!topic || !group || !offset || !Number.isInteger(partition)) return undefined;
  const reason = headers['parked-reason'] ?? '';
  return { topic, partition, offset, group, reason, key, value, tooLarge: WITHOUT in headers };
}

/** The headers of a dead letter that is published again, for the group alone that could not handle it. */
export const replayHeaders = (group: string): Record<string, string> => ({ [REPLAYED_FOR]: group });

/** Whether a record was published again for another group than `group`. */
export const isForAnother = ({ headers }: TakenRecord, group: string): boolean =>
  headers[REPLAYED_FOR] !== undefined && headers[REPLAYED_FOR] !== group;
