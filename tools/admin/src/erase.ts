import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { ProjectsOperatorServiceServer } from '@recording-request/proto/operator/v1/projects';
import type { SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { WebhooksOperatorServiceServer } from '@recording-request/proto/operator/v1/webhooks';
import type { EraseCommand } from './command.ts';
import { addTo, type Removed, removedNothing } from './removed.ts';

export interface EraseServices {
  projects: ClientOf<ProjectsOperatorServiceServer>;
  submissions: ClientOf<SubmissionsOperatorServiceServer>;
  webhooks: ClientOf<WebhooksOperatorServiceServer>;
}

/**
 * Erases the data, or counts it with `dryRun`. Fails with DomainErrors; completed parts stay erased, and the same
 * command continues. The record that identifies the data is deleted last, so that a repeated command finds it.
 * `removed` is updated during the erasure, so it shows the progress after a failure.
 */
export async function erase(
  services: EraseServices,
  { name, id }: Pick<EraseCommand, 'name' | 'id'>,
  dryRun: boolean,
  removed = removedNothing(),
): Promise<Removed> {
  if (name === 'erase submission') await eraseSubmission(services, id, dryRun, removed);
  else if (name === 'erase link') await eraseLink(services, id, dryRun, removed);
  else if (name === 'erase project') await eraseProject(services, id, dryRun, removed);
  else await eraseUser(services, id, dryRun, removed);
  return removed;
}

async function eraseSubmission(
  { submissions, webhooks }: EraseServices,
  submissionId: string,
  dryRun: boolean,
  removed: Removed,
): Promise<void> {
  const known = await submissions.eraseSubmission({ submissionId, dryRun: true });
  // Call this first: later, the event `submission.erased` causes the same deletion, but without a count.
  const sent = await webhooks.eraseSubmissionDeliveries({ projectId: known.projectId, submissionId, dryRun });
  addTo(removed, sent.erased!);
  const { projectId, linkId } = known;
  // The clip is its person's last clip, and the events about the link contain the person's name too.
  if (linkId) {
    const about = await webhooks.eraseLinkDeliveries({ projectId, linkId, dryRun });
    addTo(removed, about.erased!);
  }
  const { erased, erasedBeforeAt, recordsEndAt } = dryRun
    ? known
    : await submissions.eraseSubmission({ submissionId, dryRun });
  addTo(removed, erased!);
  removed.erasedBeforeAt = erasedBeforeAt;
  removed.recordsEndAt = recordsEndAt ?? null;
}

async function eraseLink(
  { projects, submissions, webhooks }: EraseServices,
  linkId: string,
  dryRun: boolean,
  removed: Removed,
): Promise<void> {
  const { ownerId, projectId } = await projects.findLink({ linkId });
  const link = { ownerId, projectId, linkId };
  const known = await submissions.eraseLink({ ...link, dryRun: true });
  removed.erasedBeforeAt = known.erasedBeforeAt;
  // Call this first: later, the events of the erasure cause the same deletions, but without a count.
  const about = await webhooks.eraseLinkDeliveries({ projectId, linkId, dryRun });
  addTo(removed, about.erased!);
  for (const submissionId of known.submissionIds) {
    const sent = await webhooks.eraseSubmissionDeliveries({ projectId, submissionId, dryRun });
    addTo(removed, sent.erased!);
  }
  for (let done = false; !done; ) {
    const part = dryRun ? known : await submissions.eraseLink({ ...link, dryRun });
    addTo(removed, part.erased!);
    addTo(removed, part.erasedOfProject!);
    removed.recordsEndAt = part.recordsEndAt ?? null;
    done = part.done;
  }
}

async function eraseProject(
  { projects, submissions, webhooks }: EraseServices,
  projectId: string,
  dryRun: boolean,
  removed: Removed,
): Promise<void> {
  // An unknown id fails before anything is erased.
  const known = await projects.eraseProject({ projectId, dryRun: true });
  const sent = await webhooks.eraseProjectDeliveries({ projectId, dryRun });
  addTo(removed, sent.erased!);
  for (let done = false; !done; ) {
    const part = await submissions.eraseProjectSubmissions({ projectId, dryRun });
    addTo(removed, part.erased!);
    removed.recordsEndAt = part.recordsEndAt ?? null;
    done = part.done;
  }
  const { links, people, responses, rememberedAnswers, videosReleased, erasedBeforeAt } = dryRun
    ? known
    : await projects.eraseProject({ projectId, dryRun });
  const existed = links + responses + videosReleased > 0 || !erasedBeforeAt;
  addTo(removed, { projects: existed ? 1 : 0, links, people, responses, rememberedAnswers, videosReleased });
  removed.erasedBeforeAt = erasedBeforeAt;
}

async function eraseUser(services: EraseServices, userId: string, dryRun: boolean, removed: Removed): Promise<void> {
  for (;;) {
    const { tokensRevoked, projectIds, done, erasedBeforeAt } = await services.projects.eraseUser({ userId, dryRun });
    addTo(removed, { tokensRevoked });
    for (const projectId of projectIds) await eraseProject(services, projectId, dryRun, removed);
    if (!done && !dryRun) continue;
    const { events } = await services.webhooks.eraseOwnerEvents({ ownerId: userId, dryRun });
    addTo(removed, { feedEvents: events });
    const isNew = !erasedBeforeAt;
    addTo(removed, { users: isNew ? 1 : 0 });
    removed.erasedBeforeAt = erasedBeforeAt;
    // Kafka may still have records of the user's projects, although the list no longer shows these projects. This call
    // only gets the date when the records end: it erases nothing, because the id is not the id of a project.
    if (erasedBeforeAt && removed.recordsEndAt === undefined) {
      const { recordsEndAt } = await services.submissions.eraseProjectSubmissions({ projectId: userId, dryRun: true });
      removed.recordsEndAt = recordsEndAt ?? null;
    }
    return;
  }
}
