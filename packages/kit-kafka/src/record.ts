import type { Context } from '@opentelemetry/api';

/** A record that is ready to be sent. The topic has no prefix; `value` is an encoded message. */
export interface OutgoingRecord {
  topic: string;
  key: string;
  value: Buffer;
}

/** The message format of a product: the topics, and the conversion of messages to records and back. */
export interface RecordFormat<M> {
  topics: readonly string[];
  /** Keeps the records that no consumer can handle. */
  deadLetterTopic: string;
  encode(message: M): OutgoingRecord;
  /** Throws when the bytes are not a message. */
  decode(value: Buffer): M;
  /** Returns the name of the part that a decoded message lacks, or undefined when it is complete. */
  missingFrom(message: M): string | undefined;
  /**
   * Returns a message's id and type for logs and spans, the ids in the message, and the trace context of the request
   * that caused it.
   */
  describe(message: M): { id: string; type: string; subject: object; context: Context };
}

/** A record that a consumer has read. */
export interface TakenRecord {
  partition: number;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, string>;
  /** The size of the fetched batch, in records. */
  batch: number;
  /** The time of publication. */
  at: Date;
}
