/** The record to which a sealed secret is bound: it opens only for that record. */
export const sealedFor = {
  link: (linkId: string) => `link:${linkId}`,
  webhook: (projectId: string) => `webhook:${projectId}`,
  answer: (userId: string, key: string) => `idempotency:${userId}:${key}`,
};
