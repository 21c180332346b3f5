import { TOMBSTONE_DAYS } from '@recording-request/events/tombstones';
import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type { EraseServices } from './erase.ts';

/** The kinds of data that can be erased. */
export type Kind = 'submission' | 'link' | 'project' | 'user';

// A dry run changes nothing, and fails with not_found for an unknown id.
const LOOK: Record<Kind, (services: EraseServices, id: string) => Promise<unknown>> = {
  user: ({ projects }, userId) => projects.eraseUser({ userId, dryRun: true }),
  project: ({ projects }, projectId) => projects.eraseProject({ projectId, dryRun: true }),
  submission: ({ submissions }, submissionId) => submissions.eraseSubmission({ submissionId, dryRun: true }),
  link: ({ projects }, linkId) => projects.findLink({ linkId }).catch(sharedLink),
};

/** The service refuses to erase a shared link, but this error shows that the id is the id of a link. */
const sharedLink = (error: unknown) => {
  if (!(error instanceof DomainError && error.code === 'unprocessable')) throw error;
};

const WHERE: Record<Kind, string> = {
  user: '"users list" shows all users',
  project: '"projects list USERID" shows the projects of a user',
  link: 'it is the tokenId of the API and of an export',
  submission: 'it is the submissionId of the API and of an export',
};
const SHOWN_LENGTH = 60;

/** Returns a sentence with the actual kind of an id that is not of `kind`; undefined when the id is of `kind`. */
export async function unknownId(services: EraseServices, kind: Kind, id: string): Promise<string | undefined> {
  if (!isUuid(id)) {
    return `There is no ${kind} ${JSON.stringify(id.slice(0, SHOWN_LENGTH))}: an id is a UUID; ${WHERE[kind]}.`;
  }
  for (const other of Object.keys(LOOK) as Kind[]) {
    if (!(await isThere(LOOK[other](services, id)))) continue;
    if (other === kind) return undefined;
    return `There is no ${kind} ${id}: it is the id of a ${other} ("erase ${other} ${id}").`;
  }
  return `There is no ${kind} ${id}; ${WHERE[kind]}. Ids of erased data are remembered for ${TOMBSTONE_DAYS} days.`;
}

async function isThere(look: Promise<unknown>): Promise<boolean> {
  try {
    await look;
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return false;
    throw error;
  }
}
