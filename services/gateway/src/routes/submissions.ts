import { DEFAULTS } from '@recording-request/contract/limits';
import { mediaStatusOf, transcriptStatusOf } from '@recording-request/contract/present';
import {
  type ExportFilter,
  ProjectParams,
  SubmissionParams,
  SubmissionsQuery,
  type SubmissionsQueryInput,
  UpdateSubmissionBody,
  type UpdateSubmissionInput,
} from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import {
  Submission,
  type SubmissionJson,
  SubmissionsPage,
  type SubmissionsPageJson,
} from '@recording-request/contract/resources/submission';
import type {
  ListSubmissionsRequest,
  ListSubmissionsResponse,
  SubmissionFilter,
  Submission as SubmissionMessage,
} from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pagesUpTo } from '../clients/pages.ts';
import {
  loadShownProject,
  ofReference,
  type PeopleFilter,
  presentClip,
  presentClips,
  presentedPages,
  type ShownProject,
} from '../clients/shown-clips.ts';
import type { Context } from '../context.ts';
import { invalidFirst } from '../domain/invalid-first.ts';
import { owner, type ProjectRef } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { projectOf, submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendTextUnlessSame, sendUnlessSame } from './answers.ts';
import { sendList } from './list-answer.ts';

export const filterOf = (query: ExportFilter): SubmissionFilter => ({
  selected: query.selected,
  transcriptStatus: transcriptStatusOf(query.transcriptStatus),
});

const momentOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

function pageRequestOf(request: FastifyRequest, defaultPage: number): ListSubmissionsRequest {
  const { ownerId, projectId } = projectOf(request);
  const query = request.query as SubmissionsQueryInput;
  return {
    ownerId,
    projectId,
    filter: filterOf(query),
    pageSize: query.limit ?? defaultPage,
    cursor: query.cursor ?? '',
    search: query.q,
    linkId: query.tokenId?.toLowerCase(),
    responseSessionId: query.responseSessionId?.toLowerCase(),
    mediaStatus: mediaStatusOf(query.mediaStatus),
    createdAfter: momentOf(query.createdAfter),
    createdBefore: momentOf(query.createdBefore),
    changedAfter: momentOf(query.changedAfter),
    omitTranscripts: query.omit === 'transcripts' || undefined,
  };
}

function peopleFilterOf(request: FastifyRequest): PeopleFilter {
  const { reference, code } = request.query as SubmissionsQueryInput;
  return { reference, code };
}

/**
 * Returns a page of submissions; applies the search if the route has one. The page has fewer rows than requested if its
 * texts are long. Reads the project at the same time, for its name and for the 404 of a missing project.
 */
export async function loadPage(
  context: Context,
  request: FastifyRequest,
  defaultPage: number = DEFAULTS.pageSize,
): Promise<SubmissionsPageJson> {
  const { services } = context;
  const listRequest = pageRequestOf(request, defaultPage);
  const { projectId } = listRequest;
  const people = peopleFilterOf(request);
  const showing = context.recentProjects.load(listRequest);
  const listing =
    people.reference === undefined && people.code === undefined
      ? services.submissions.listSubmissions(listRequest)
      : showing
          .then(shown => ofReference(services, shown, listRequest, people))
          .then(services.submissions.listSubmissions);
  const [shown, page] = await invalidFirst(showing, listing);
  return {
    projectId,
    submissions: await presentClips(context, projectId, shown, page.submissions),
    pagination: { nextCursor: page.nextCursor || null },
  };
}

interface FirstPage {
  shown: ShownProject;
  /** The request with all filters. */
  listRequest: ListSubmissionsRequest;
  page: ListSubmissionsResponse;
}

const UNKNOWN: ShownProject = { projectName: '', hasInvitations: false };

/**
 * Reads a page: as the bytes to send if the service returns a whole page, otherwise as the first submissions of the
 * page. The service needs the project's name to make the bytes, so this function reads the name first if it is not
 * cached.
 */
async function loadFirst(context: Context, request: FastifyRequest): Promise<FirstPage> {
  const { services, baseUrl, recentProjects } = context;
  const plain = pageRequestOf(request, DEFAULTS.pageSize);
  const known = recentProjects.get(plain);
  const showing = known === undefined ? recentProjects.load(plain) : Promise.resolve(known);
  // Lists even when the project is missing: if the cursor is wrong too, the response reports the cursor first.
  const listing = showing
    .catch(() => UNKNOWN)
    .then(async presentation => {
      const listRequest = await ofReference(services, presentation, plain, peopleFilterOf(request));
      const withJson = { ...listRequest, presentation: { baseUrl, ...presentation } };
      return { listRequest, page: await services.submissions.listSubmissions(withJson) };
    });
  const [shown, listed] = await invalidFirst(showing, listing);
  // The project may have been erased since its name was cached.
  if (known !== undefined && !listed.page.pageJson && listed.page.submissions.length === 0)
    await loadShownProject(services, plain);
  return { shown, ...listed };
}

async function sendPage(request: FastifyRequest, reply: FastifyReply, context: Context): Promise<FastifyReply> {
  const { services } = context;
  const { shown, listRequest, page } = await loadFirst(context, request);
  if (page.pageJson) return sendTextUnlessSame(request, reply, 'application/json', page.pageJson, page.pageEtag);
  const { projectId, pageSize } = listRequest;
  const readOn = (cursor: string, size: number) =>
    services.submissions.listSubmissions({ ...listRequest, cursor, pageSize: size }, { signal: request.clientGone });
  return sendList(request, reply, context, {
    name: 'submissions',
    before: () => ({ projectId }),
    rows: each => each.shown,
    after: ({ nextCursor }) => ({ pagination: { nextCursor: nextCursor || null } }),
    pages: presentedPages(
      pagesUpTo(pageSize, page, ({ submissions }) => submissions, readOn),
      clips => presentClips(context, projectId, shown, clips),
    ),
  });
}

const MEDIA_AGAIN =
  'Makes video, thumbnails and audio again from the upload, for a submission whose `mediaStatus` is `failed`, or `ready` with a `mediaError`, while its upload is kept. Also requests a transcript again that failed because of missing media. Sends the same events as the first run. 409 with `media_not_failed` if nothing failed; 409 also while a transcript is being made, and if the upload is not kept.';

const NAME_DEADLINE_MS = 1_000;

/**
 * Returns a project's name for a file name; "" if the name does not arrive in time, because the file matters more than
 * its name.
 */
export async function knownName(
  { services, recentProjects }: Pick<Context, 'services' | 'recentProjects'>,
  { ownerId, projectId }: ProjectRef,
): Promise<string> {
  const known = recentProjects.get({ ownerId, projectId });
  if (known !== undefined) return known.projectName;
  try {
    const call = { deadlineMs: NAME_DEADLINE_MS };
    const found = await services.projects.getProject({ ownerId, projectId, nameOnly: true }, call);
    return found.projectName ?? '';
  } catch {
    return '';
  }
}

export async function submissionRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services } = context;

  app.get(
    '/api/projects/:projectId/submissions',
    {
      config: { ...owner('submissions:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'listSubmissions',
        tag: 'submissions',
        summary: 'The submissions of a project, newest first',
        description:
          'For a single submission see getSubmission, among the extensions. An unknown or repeated parameter is a 400.',
        params: ProjectParams,
        query: SubmissionsQuery,
        json: { 200: ref(SubmissionsPage) },
        conditional: true,
      }),
    },
    (request, reply) => sendPage(request, reply, context),
  );

  app.get(
    '/api/projects/:projectId/submissions/:submissionId',
    {
      config: owner('submissions:read'),
      schema: operation({
        id: 'getSubmission',
        tag: 'extensions',
        summary: 'One submission',
        params: SubmissionParams,
        json: { 200: ref(Submission) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const target = submissionOf(request);
      const [shown, { submission }] = await invalidFirst(
        loadShownProject(services, target),
        services.submissions.getSubmission(target),
      );
      return sendUnlessSame(request, reply, await presentClip(context, shown, submission));
    },
  );

  app.patch<{ Body: UpdateSubmissionInput }>(
    '/api/projects/:projectId/submissions/:submissionId',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'updateSubmission',
        tag: 'extensions',
        summary: 'Select a submission, or write a review note',
        params: SubmissionParams,
        body: UpdateSubmissionBody,
        json: { 200: ref(Submission) },
      }),
    },
    async request => {
      const { selected, reviewNote } = request.body;
      const target = submissionOf(request);
      return show(
        target,
        (await services.submissions.updateSubmission({ ...target, selected, reviewNote })).submission,
      );
    },
  );

  app.post(
    '/api/projects/:projectId/submissions/:submissionId/transcript',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'requestTranscript',
        tag: 'extensions',
        summary: 'Request a failed transcript again',
        also: { 409: 'The last transcript did not fail.' },
        params: SubmissionParams,
        json: { 200: ref(Submission) },
      }),
    },
    async request => {
      const target = submissionOf(request);
      return show(target, (await services.submissions.requestTranscript(target)).submission);
    },
  );

  app.post(
    '/api/projects/:projectId/submissions/:submissionId/media',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'requestMedia',
        tag: 'extensions',
        summary: 'Request the media again if some of it could not be made',
        description: MEDIA_AGAIN,
        also: {
          409: 'No part of the media failed, the media or a transcript is being made, or the upload is not kept.',
        },
        params: SubmissionParams,
        json: { 200: ref(Submission) },
      }),
    },
    async request => {
      const target = submissionOf(request);
      return show(target, (await services.submissions.requestMedia(target)).submission);
    },
  );

  async function show(project: ProjectRef, submission: SubmissionMessage | undefined): Promise<SubmissionJson> {
    return presentClip(context, await loadShownProject(services, project), submission);
  }
}
