import { EraseBody, type EraseInput } from '@recording-request/contract/erase-request';
import { type ErasureParts, presentErasure, totalOf } from '@recording-request/contract/present';
import { ProjectParams, SubmissionParams } from '@recording-request/contract/requests';
import { Erasure, type ErasureJson } from '@recording-request/contract/resources/erasure';
import { ref } from '@recording-request/contract/resources/fields';
import type { EraseSubmissionResponse } from '@recording-request/proto/operator/v1/submissions';
import type { ProjectErasure } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { owner, type ProjectRef } from '../plugins/access-kinds.ts';
import { projectOf, submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';

/*
 * The owner's erasures. They run the same code in the services as the operator's command. One write of the submissions
 * service records the erasure of a project; after this write, the erasure needs no further request.
 */

// Long enough for a service to erase the links of a project, or to count a large project.
export const CALL = { deadlineMs: 60_000 };
export const UNCONFIRMED = '`confirm` has expired, or was given out for another project, link, submission or owner.';
export const TWO_STEPS =
  'Without `confirm`, erases nothing: the answer says what would be erased, and has a `confirm` that is valid for ten minutes. With it, erases the data for good.';

export async function erasureRoutes(app: FastifyInstance, context: Context): Promise<void> {
  app.post<{ Body: EraseInput }>(
    '/api/projects/:projectId/erase',
    {
      config: owner('projects:erase'),
      schema: operation({
        id: 'eraseProject',
        tag: 'extensions',
        summary: 'Erase a project with all its data, in two steps',
        description: `${TWO_STEPS} Also erases what arrives between the two requests. 202 if the erasure takes longer: it continues by itself, and the address in \`Location\` shows its state. A repeated request changes nothing.`,
        also: { 409: UNCONFIRMED },
        params: ProjectParams,
        body: EraseBody,
        json: { 200: ref(Erasure), 202: ref(Erasure) },
      }),
    },
    async (request, reply) => {
      const target = projectOf(request);
      const confirm = request.body?.confirm;
      const begun = await findBegun(context, target);
      if (begun) return send(reply, await shownErasure(context, target, begun));
      if (confirm === undefined) return reply.send(await proposal(context, target));
      return send(reply, await eraseProject(context, target, confirm));
    },
  );

  app.get(
    '/api/projects/:projectId/erasure',
    {
      config: owner('projects:erase'),
      schema: operation({
        id: 'getErasure',
        tag: 'extensions',
        summary: 'The state of a project’s erasure, and its proof',
        description:
          'For 30 days after the erasure began, although the project is gone. For a project that is not being erased, a proposal without `confirm`.',
        params: ProjectParams,
        json: { 200: ref(Erasure) },
      }),
    },
    async request => {
      const target = projectOf(request);
      const begun = await findBegun(context, target);
      if (begun) return await shownErasure(context, target, begun);
      return { ...(await proposal(context, target)), confirm: null, confirmExpiresAt: null };
    },
  );

  app.post<{ Body: EraseInput }>(
    '/api/projects/:projectId/submissions/:submissionId/erase',
    {
      config: owner('projects:erase'),
      schema: operation({
        id: 'eraseSubmission',
        tag: 'extensions',
        summary: 'Erase a submission with all its data, in two steps',
        description: `${TWO_STEPS} The last submission of a response takes its person along: the recipient and metadata of a unique link, or the reference that the response stated, also from the events about the link. The link stays used.`,
        also: { 409: UNCONFIRMED },
        params: SubmissionParams,
        body: EraseBody,
        json: { 200: ref(Erasure) },
      }),
    },
    async request => await eraseClip(context, submissionOf(request), request.body?.confirm),
  );
}

type ClipRef = ProjectRef & { submissionId: string };

const send = (reply: FastifyReply, erasure: ErasureJson) => {
  if (erasure.state === 'erasing')
    reply.code(202).header('location', `/api/projects/${erasure.projectId}/erasure`).header('retry-after', '2');
  return reply.send(erasure);
};

async function findBegun({ services }: Context, { ownerId, projectId }: ProjectRef) {
  return (await services.submissions.getErasure({ ownerId, projectId }, CALL)).erasure;
}

async function proposal({ services }: Context, target: ProjectRef): Promise<ErasureJson> {
  const { projectId } = target;
  // Call this first, because it checks the owner.
  const proposed = await services.projects.proposeErasure({ ...target, submissionId: '' }, CALL);
  const [{ would }, { erased }] = await Promise.all([
    services.submissions.getErasure(target, CALL),
    services.webhooks.eraseEvents({ ...eventsOf({ projectId }), dryRun: true }, CALL),
  ]);
  const counts = { submissions: would, project: proposed.counts, webhooks: [erased], withoutObjects: true };
  const { confirm, confirmExpiresAt } = proposed;
  return presentErasure({
    ...{ projectId, state: 'proposed', counts },
    ...{ confirm, confirmExpiresAt },
  });
}

async function eraseProject(context: Context, target: ProjectRef, confirm: string): Promise<ErasureJson> {
  const { services, recentProjects } = context;
  await services.projects.confirmErasure({ ...target, submissionId: '', confirm });
  const { erasure } = await services.submissions.beginErasure(target, CALL);
  recentProjects.changed(target);
  // The webhooks service erases the events even without this call; the call only makes the answer complete.
  await services.webhooks.eraseEvents({ ...eventsOf(target), dryRun: false }, CALL);
  return await shownErasure(context, target, erasure!);
}

async function shownErasure({ services }: Context, { projectId }: ProjectRef, begun: ProjectErasure) {
  const { erased, left, leftOfProject, begunAt, doneAt, recordsEndAt } = begun;
  const events = await services.webhooks.eraseEvents({ ...eventsOf({ projectId }), dryRun: true }, CALL);
  const rest = totalOf({ submissions: left, project: leftOfProject, webhooks: [events.erased] });
  const waits = (events.erased?.payloads ?? 0) + (events.erased?.events ?? 0) > 0;
  const isDone = doneAt !== undefined && !waits;
  return presentErasure({
    ...{ projectId, state: isDone ? 'erased' : 'erasing' },
    counts: { submissions: erased, project: begun.erasedOfProject, webhooks: [events.total] },
    begunAt,
    ...(isDone ? { erasedAt: doneAt, left: rest, recordsEndAt } : {}),
  });
}

/** Erases a clip, or proposes it without `confirm`. */
async function eraseClip(context: Context, target: ClipRef, confirm: string | undefined): Promise<ErasureJson> {
  const { services } = context;
  const { projectId, submissionId } = target;
  // Both check the owner of the project.
  const proposed = confirm === undefined ? await services.projects.proposeErasure(target) : undefined;
  if (confirm !== undefined) await services.projects.confirmErasure({ ...target, confirm });
  const would = await partsOf(context, target);
  const before = would.clip.erasedBeforeAt;
  const about = { projectId, submissionId };
  if (proposed && !before) {
    const { confirm: value, confirmExpiresAt } = proposed;
    return presentErasure({ ...about, state: 'proposed', counts: would.parts, confirm: value, confirmExpiresAt });
  }
  const done = before ? would : await eraseNow(context, target, would.clip);
  const { clip, parts } = before ? would : await partsOf(context, target);
  const erasedAt = clip.erasedBeforeAt;
  return presentErasure({
    ...{ ...about, state: 'erased', counts: done.parts, begunAt: erasedAt, erasedAt },
    left: totalOf(parts),
    recordsEndAt: done.clip.recordsEndAt,
  });
}

interface ErasedClip {
  clip: EraseSubmissionResponse;
  parts: ErasureParts;
}

const DRY_RUN = { dryRun: true };
const APPLY = { dryRun: false };

/** Counts what the erasure of a clip removes in every service. */
async function partsOf({ services }: Context, target: ClipRef): Promise<ErasedClip> {
  const { erased: clip } = await services.submissions.eraseClip({ ...target, ...DRY_RUN }, CALL);
  const webhooks = await Promise.all(
    eventsOfClip(target, clip!).map(events => services.webhooks.eraseEvents({ ...events, ...DRY_RUN }, CALL)),
  );
  return { clip: clip!, parts: { submissions: clip!.erased, webhooks: webhooks.map(({ erased }) => erased) } };
}

/**
 * Erases a clip, first in the submissions service. Its event makes the webhooks service erase the clip's events in any
 * case; the call to webhooks only makes the HTTP response complete.
 */
async function eraseNow({ services }: Context, target: ClipRef, known: EraseSubmissionResponse): Promise<ErasedClip> {
  const { erased: clip } = await services.submissions.eraseClip({ ...target, ...APPLY }, CALL);
  const webhooks = await Promise.all(
    eventsOfClip(target, known).map(events => services.webhooks.eraseEvents({ ...events, ...APPLY }, CALL)),
  );
  return { clip: clip!, parts: { submissions: clip!.erased, webhooks: webhooks.map(({ total }) => total) } };
}

/** Returns the events that are erased with a clip: its own, and those about its link if the person is erased too. */
function eventsOfClip(target: ClipRef, { linkId }: EraseSubmissionResponse) {
  const own = { ...eventsOf(target), submissionId: target.submissionId };
  return linkId === '' ? [own] : [own, { ...eventsOf(target), linkId }];
}

const eventsOf = ({ projectId }: Pick<ProjectRef, 'projectId'>) => ({
  ...{ projectId, submissionId: '', linkId: '' },
});
