/** The record to which a sealed text is bound. The text can be opened only for this record. */
export const sealedFor = {
  delivery: (id: string) => `delivery:${id}`,
  /** An entry of the feed. */
  event: (eventId: string) => `event:${eventId}`,
};
