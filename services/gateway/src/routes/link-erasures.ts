import { EraseBody, type EraseInput } from '@recording-request/contract/erase-request';
import { presentErasure, totalOf } from '@recording-request/contract/present';
import { LinkParams } from '@recording-request/contract/requests';
import { Erasure, type ErasureJson } from '@recording-request/contract/resources/erasure';
import { ref } from '@recording-request/contract/resources/fields';
import type { ErasedPayloads } from '@recording-request/proto/operator/v1/webhooks';
import type { LinkErasure } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { owner, type ProjectRef } from '../plugins/access-kinds.ts';
import { linkOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { CALL, TWO_STEPS, UNCONFIRMED } from './erasures.ts';

type LinkRef = ProjectRef & { linkId: string };

/*
 * The owner's erasure of a link. As for a project, one write of the submissions service records the erasure; after this
 * write, the erasure needs no further request.
 */
export async function linkErasureRoutes(app: FastifyInstance, context: Context): Promise<void> {
  app.post<{ Body: EraseInput }>(
    '/api/projects/:projectId/links/:tokenId/erase',
    {
      config: owner('projects:erase'),
      schema: operation({
        id: 'eraseLink',
        tag: 'extensions',
        summary: 'Erase a single-recipient link with its person and clips, in two steps',
        description: `${TWO_STEPS} Erases the recipient, metadata, deadline and state, every clip and upload, and the data of past events. The link stays listed, as \`closed\` and without a person, and accepts nothing any more. 202 if the erasure takes longer: it continues by itself; repeat the request to see its state. A repeated request changes nothing, and shows the proof for 30 days. The shared link is 422: disable it and erase its submissions, or erase the project.`,
        also: { 409: UNCONFIRMED, 422: 'The link is the shared link of the project.' },
        params: LinkParams,
        body: EraseBody,
        json: { 200: ref(Erasure), 202: ref(Erasure) },
      }),
    },
    async (request, reply) => {
      const erasure = await eraseLink(context, linkOf(request), request.body?.confirm);
      if (erasure.state === 'erasing') reply.code(202).header('retry-after', '2');
      return reply.send(erasure);
    },
  );
}

async function eraseLink(context: Context, link: LinkRef, confirm: string | undefined): Promise<ErasureJson> {
  const { services, recentProjects } = context;
  const { ownerId, projectId } = link;
  const { erasure: before, would, submissionIds } = await services.submissions.getLinkErasure(link, CALL);
  if (before) return await shown(context, link, before);
  if (confirm === undefined) {
    // Checks the owner.
    const { counts: project, ...value } = await services.projects.proposeLinkErasure(link, CALL);
    const events = await eraseEvents(context, link, submissionIds, true);
    const counts = { submissions: would, project, webhooks: events.map(({ erased }) => erased) };
    return presentErasure({ projectId, tokenId: link.linkId, state: 'proposed', counts, ...value });
  }
  await services.projects.confirmLinkErasure({ ...link, confirm }, CALL);
  const { erasure } = await services.submissions.beginLinkErasure(link, CALL);
  recentProjects.changed({ ownerId, projectId });
  // The webhooks service erases the events even without these calls; they only make the answer complete.
  await eraseEvents(context, link, erasure!.submissionIds, false);
  return await shown(context, link, erasure!);
}

async function shown(context: Context, link: LinkRef, erasure: LinkErasure): Promise<ErasureJson> {
  const { erased, erasedOfProject, left, leftOfProject, begunAt, doneAt, recordsEndAt, submissionIds } = erasure;
  const events = await eraseEvents(context, link, submissionIds, true);
  const remaining = events.map(event => event.erased);
  const waits = totalOf({ submissions: undefined, webhooks: remaining }) > 0;
  const isDone = doneAt !== undefined && !waits;
  return presentErasure({
    ...{ projectId: link.projectId, tokenId: link.linkId, state: isDone ? 'erased' : 'erasing', begunAt },
    counts: { submissions: erased, project: erasedOfProject, webhooks: events.map(({ total }) => total) },
    ...(isDone && {
      ...{ erasedAt: doneAt, recordsEndAt },
      left: totalOf({ submissions: left, project: leftOfProject, webhooks: remaining }),
    }),
  });
}

interface LinkEvents {
  erased?: ErasedPayloads | undefined;
  total?: ErasedPayloads | undefined;
}

/** Erases the events about a link and about its submissions, or counts them. A link has few submissions. */
async function eraseEvents(
  { services }: Context,
  { projectId, linkId }: LinkRef,
  submissionIds: string[],
  dryRun: boolean,
): Promise<LinkEvents[]> {
  const about = [
    { projectId, submissionId: '', linkId },
    ...submissionIds.map(submissionId => ({ projectId, submissionId, linkId: '' })),
  ];
  return await Promise.all(about.map(events => services.webhooks.eraseEvents({ ...events, dryRun }, CALL)));
}
