/**
 * Selects the events of an erasure: the events of a submission, the events about a link (`origin`), or all events of a
 * project.
 */
export interface Erasable {
  projectId: string;
  submissionId?: string;
  origin?: string;
}

/** Omits undefined fields, because MongoDB would match events without the field. */
export const erasableQuery = ({ projectId, submissionId, origin }: Erasable) => ({
  projectId,
  ...(submissionId === undefined ? {} : { submissionId }),
  ...(origin === undefined ? {} : { origin }),
});

export const isProject = ({ submissionId, origin }: Erasable): boolean =>
  submissionId === undefined && origin === undefined;
