/**
 * The record in the database of webhooks that says whether this system sends webhooks. The service follows it, and a
 * restore writes it before any service starts. Without a record, webhooks are sent.
 */
export const SENDING_RECORD = { collection: 'sending', id: 'sending' } as const;
