/** The events that an erasure covers: those of a submission, those about a link (`origin`), or all of a project. */
export interface Erasable {
  projectId: string;
  submissionId?: string;
  origin?: string;
}

/** An undefined field would match events without it. */
export const erasableQuery = ({ projectId, submissionId, origin }: Erasable) => ({
  projectId,
  ...(submissionId === undefined ? {} : { submissionId }),
  ...(origin === undefined ? {} : { origin }),
});

export const isProject = ({ submissionId, origin }: Erasable): boolean =>
  submissionId === undefined && origin === undefined;
