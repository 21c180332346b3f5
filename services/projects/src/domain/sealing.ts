/** The record to which a sealed secret is bound. The secret can be opened only for this record. */
export const sealedFor = {
  link: (linkId: string) => `link:${linkId}`,
  invitation: (linkId: string) => `invitation:${linkId}`,
  /** `responseId`: the key that responseKey returns. */
  reference: (responseId: string) => `reference:${responseId}`,
  /**
   * The context of the keyed digests of a project's people. It has the project's id, so that the digests do not show
   * whether two projects have the same person.
   */
  person: (projectId: string) => `person:${projectId}`,
  webhook: (projectId: string) => `webhook:${projectId}`,
  /** The value that confirms an erasure. */
  erasure: (ownerId: string, projectId: string, submissionId: string) =>
    `erasure:${ownerId}:${projectId}:${submissionId}`,
  linkErasure: (ownerId: string, projectId: string, linkId: string) => `link-erasure:${ownerId}:${projectId}:${linkId}`,
  answer: (userId: string, key: string) => `idempotency:${userId}:${key}`,
};
