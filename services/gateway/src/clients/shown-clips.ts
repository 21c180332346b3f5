import { invitationsOf, nobodyInvited } from '@recording-request/contract/invitations';
import { presentSubmission } from '@recording-request/contract/present';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { ListSubmissionsRequest, Submission } from '@recording-request/proto/submissions/v1/submissions';
import type { ProjectRef } from '../plugins/access-kinds.ts';
import type { Page } from './pages.ts';
import type { Services } from './services.ts';

/** The fields of a project that its clips show. */
export interface ShownProject {
  projectName: string;
  /** If false, the gateway requests no invitations. */
  hasInvitations: boolean;
}

type Projects = Pick<Services, 'projects'>;

export async function loadShownProject({ projects }: Projects, project: ProjectRef): Promise<ShownProject> {
  const { ownerId, projectId } = project;
  const { projectName = '', hasInvitations = false } = await projects.getProject({
    ownerId,
    projectId,
    nameOnly: true,
  });
  return { projectName, hasInvitations };
}

export interface ShownIn {
  services: Projects;
  baseUrl: string;
}

/** Presents clips of a project, with the invitations of their links. */
export async function presentClips(
  { services, baseUrl }: ShownIn,
  projectId: string,
  { projectName, hasInvitations }: ShownProject,
  clips: Submission[],
): Promise<SubmissionJson[]> {
  const invitationOf = hasInvitations ? await invitationsOf(services.projects, projectId, clips) : nobodyInvited;
  return clips.map(clip => presentSubmission(clip, { baseUrl, projectName, invitation: invitationOf(clip) }));
}

/** Presents one clip; see `presentClips`. */
export async function presentClip(
  context: ShownIn,
  project: ShownProject,
  clip: Submission | undefined,
): Promise<SubmissionJson> {
  if (!clip) throw new Error('the reply has no submission');
  const [shown] = await presentClips(context, clip.projectId, project, [clip]);
  return shown!;
}

/** Adds the presented clips to each page. */
export async function* presentedPages<T extends { submissions: Submission[] }>(
  pages: AsyncGenerator<Page<T>>,
  present: (clips: Submission[]) => Promise<SubmissionJson[]>,
): AsyncGenerator<Page<T & { shown: SubmissionJson[] }>> {
  for await (const page of pages) yield { ...page, shown: await present(page.submissions) };
}

/** The filters that the projects service resolves. */
export interface PeopleFilter {
  reference: string | undefined;
  code: string | undefined;
}

/** Returns the request for the clips of the people with a reference, or of the response with a completion code. */
export async function ofReference(
  { projects }: Projects,
  { hasInvitations }: ShownProject,
  request: ListSubmissionsRequest,
  { reference, code }: PeopleFilter,
): Promise<ListSubmissionsRequest> {
  if (code !== undefined) request = await ofCode({ projects }, request, code);
  if (reference === undefined) return request;
  const { ownerId, projectId } = request;
  const { origins } = hasInvitations
    ? await projects.findInvitations({ ownerId, projectId, reference })
    : { origins: [] };
  return { ...request, origins: { origins } };
}

/** Adds a filter for the response that has this completion code. */
async function ofCode({ projects }: Projects, request: ListSubmissionsRequest, code: string) {
  const { ownerId, projectId, linkId, responseSessionId } = request;
  const { origin } = await projects.findCompletion({ ownerId, projectId, code });
  // An unknown code selects a response that does not exist, so the page is empty.
  const found = origin ?? { linkId: NO_ID, responseSessionId: NO_ID };
  const isSame = (linkId ?? found.linkId) === found.linkId;
  const isSession = (responseSessionId ?? found.responseSessionId) === found.responseSessionId;
  return { ...request, ...(isSame && isSession ? found : { linkId: NO_ID, responseSessionId: NO_ID }) };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
