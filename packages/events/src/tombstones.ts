/**
 * How long a service remembers what it erased, so that nothing that comes late is stored: longer than any request, upload,
 * job or record of Kafka lasts.
 */
export const TOMBSTONE_DAYS = 30;
