import type { Message } from 'kafkajs';
import { isTooLarge } from './producer.ts';
import type { TakenRecord } from './record.ts';

/** A record that a consumer could not handle, with the record's origin and the reason. */
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
  /** The record was too large to be sent again: `value` is null. The original stays in its topic until its retention ends. */
  tooLarge: boolean;
}

const KEY_BYTES = 1_024;
const WITHOUT = 'parked-without';
const REPLAYED_FOR = 'replayed-for';

/** Sends a record to the dead letters. If the broker refuses the record as too large, sends it without its value. */
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

/** Parses a record of the dead letter topic. Returns undefined when it is not a dead letter. */
export function readDeadLetter({ key, value, headers }: TakenRecord): DeadLetter | undefined {
  const { 'parked-from': topic, 'parked-by': group, 'parked-offset': offset } = headers;
  const partition = Number(headers['parked-partition']);
  if (!topic || !group || !offset || !Number.isInteger(partition)) return undefined;
  const reason = headers['parked-reason'] ?? '';
  return { topic, partition, offset, group, reason, key, value, tooLarge: WITHOUT in headers };
}

/**
 * Returns the headers of a replayed dead letter. With them, only the group that could not handle the dead letter
 * handles it again.
 */
export const replayHeaders = (group: string): Record<string, string> => ({ [REPLAYED_FOR]: group });

/** Returns whether a record was replayed for a group other than `group`. */
export const isForAnother = ({ headers }: TakenRecord, group: string): boolean =>
  headers[REPLAYED_FOR] !== undefined && headers[REPLAYED_FOR] !== group;
