import type { Context } from '@opentelemetry/api';

/** A record that is ready to be sent. The topic has no prefix; `value` is an encoded message. */
export interface OutgoingRecord {
  topic: string;
  key: string;
  value: Buffer;
}

/** The messages of a product: their topics, and how they become records and back. */
export interface RecordFormat<M> {
  topics: readonly string[];
  /** Keeps the records that no consumer can handle. */
  deadLetterTopic: string;
  encode(message: M): OutgoingRecord;
  /** Throws when the bytes are no message. */
  decode(value: Buffer): M;
  /** Returns what a decoded message lacks, or undefined when it is whole. */
  missingFrom(message: M): string | undefined;
  /** The names of a message in logs and spans, what it is about, and the trace context in which it was made. */
  describe(message: M): { id: string; type: string; subject: object; context: Context };
}

/** A record as a consumer takes it. */
export interface TakenRecord {
  partition: number;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, string>;
  /** How many records were fetched with it. */
  batch: number;
  /** When it was published. */
  at: Date;
}
