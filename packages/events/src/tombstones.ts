/**
 * The days that a service remembers an erasure, so that it stores no late data: longer than any request, upload, job or Kafka
 * record lives.
 */
export const TOMBSTONE_DAYS = 30;
