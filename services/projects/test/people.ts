import { randomBytes } from 'node:crypto';
import type { CreateProjectResponse, Invitation, Link, Person } from '@recording-request/proto/projects/v1/projects';
import { OnDuplicate } from '@recording-request/proto/projects/v1/projects';
import type { TestProjects } from './test-service.ts';

/** Returns a person as an owner states it. */
export const person = (given: Partial<Person>): Person => ({
  ...{ name: '', reference: '', email: '', locale: '', verified: true },
  ...given,
});

export const invited = (given: Partial<Person>, more: Partial<Omit<Invitation, 'person'>> = {}): Invitation => ({
  metadata: {},
  dueAt: undefined,
  timeFactor: undefined,
  ...more,
  person: person(given),
});

export const NOBODY: Invitation = { person: undefined, metadata: {}, dueAt: undefined, timeFactor: undefined };

/** Returns invitations with the references `P-<from>` and so on. */
export const people = (count: number, from = 1): Invitation[] =>
  Array.from({ length: count }, (_, index) => invited({ reference: `P-${from + index}`, name: `Person ${index}` }));

export const keyOf = ({ project }: Pick<CreateProjectResponse, 'project'>) => {
  const { ownerId, projectId } = project!;
  return { ownerId, projectId };
};

interface Addition {
  onDuplicate?: OnDuplicate;
  dryRun?: boolean;
  idempotencyKey?: string;
  bodyHash?: Buffer;
}

/** Adds links, by default without duplicates. */
export async function add(
  running: Pick<TestProjects, 'projects'>,
  made: Pick<CreateProjectResponse, 'project'>,
  invitations: Invitation[],
  more: Addition = {},
) {
  return await running.projects.addLinks({
    ...keyOf(made),
    invitations,
    ...{ onDuplicate: OnDuplicate.ON_DUPLICATE_ERROR, dryRun: false, idempotencyKey: '', bodyHash: randomBytes(32) },
    ...more,
  });
}

type Filter = Partial<Parameters<TestProjects['projects']['listLinks']>[0]>;

/** Returns the pages of the unique links that a filter selects. */
export async function pagesOf(
  running: Pick<TestProjects, 'projects'>,
  made: Pick<CreateProjectResponse, 'project'>,
  filter: Filter = {},
): Promise<Link[][]> {
  const pages: Link[][] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor; ) {
    const page = await running.projects.listLinks({ ...keyOf(made), ...filter, cursor });
    pages.push(page.uniqueLinks);
    cursor = page.nextCursor;
  }
  return pages;
}

/** Returns all unique links that a filter selects. */
export const linksOf = async (...given: Parameters<typeof pagesOf>): Promise<Link[]> =>
  (await pagesOf(...given)).flat();
