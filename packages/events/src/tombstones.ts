/**
 * The days for which a service remembers an erasure, so that it stores no late data. This is longer than the life of
 * any request, upload, job or Kafka record.
 */
export const TOMBSTONE_DAYS = 30;
