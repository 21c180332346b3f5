/** The record that a sealed secret is bound to: it opens for the same record only. */
export const sealedFor = {
  link: (linkId: string) => `link:${linkId}`,
  webhook: (projectId: string) => `webhook:${projectId}`,
  answer: (userId: string, key: string) => `idempotency:${userId}:${key}`,
};
