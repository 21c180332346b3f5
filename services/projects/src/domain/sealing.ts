/** The record to which a sealed secret is bound. The secret can be opened only for this record. */
export const sealedFor = {
  link: (linkId: string) => `link:${linkId}`,
  webhook: (projectId: string) => `webhook:${projectId}`,
  answer: (userId: string, key: string) => `idempotency:${userId}:${key}`,
};
