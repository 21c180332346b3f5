/**
 * The record in the webhooks database that turns the sending of webhooks on or off. The webhooks service obeys it, and
 * a restore writes it before any service starts. Without a record, the service sends webhooks.
 */
export const SENDING_RECORD = { collection: 'sending', id: 'sending' } as const;
