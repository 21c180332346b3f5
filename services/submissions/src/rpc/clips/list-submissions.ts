import { etagOfText } from '@recording-request/contract/etag';
import { type InvitationOf, invitationsOf, nobodyInvited } from '@recording-request/contract/invitations';
import { LIMITS } from '@recording-request/contract/limits';
import { presentSubmission } from '@recording-request/contract/present';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { callScope } from '@recording-request/kit/call-scope';
import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { wordsOf } from '@recording-request/kit/search-pattern';
import { withSlot } from '@recording-request/kit/with-slot';
import { isOutOfTime } from '@recording-request/kit-mongo/mongo';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { MESSAGE_BYTES } from '@recording-request/kit-rpc/grpc-server';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type {
  ListSubmissionsRequest,
  ListSubmissionsResponse,
  PagePresentation,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import type { Filter } from '../../domain/clips/submission.ts';
import { filterOf, mediaStatusOf, toMessage } from '../../messages.ts';

const RETRY_AFTER_SECONDS = 2;
const FRAME_BYTES = 1_024;

export interface ListContext extends Pick<Context, 'lists' | 'searches' | 'pages'> {
  submissions: Pick<Context['submissions'], 'page' | 'stampOf'>;
  projects: Pick<Context['projects'], 'getInvitations'>;
}

export const listSubmissions =
  (context: ListContext) =>
  async (
    request: ListSubmissionsRequest,
    { signal }: Pick<CallContext, 'signal'>,
  ): Promise<ListSubmissionsResponse> => {
    const { ownerId, projectId } = request;
    const read = async (until: AbortSignal) => {
      const page = await withSlot(context.lists, ownerId, until, () => readPage(context, request));
      return answerOf(context, request, page, until);
    };
    // Requests seldom repeat the same words and times, so these pages are not cached.
    if (!request.presentation || request.search || datesOf(request).some(Boolean)) return await read(signal);
    const stamp = await context.submissions.stampOf(ownerId, projectId);
    // The project has no submissions. A request with a cursor is still read, because the read checks the cursor.
    if (!stamp && request.cursor === '') return { submissions: [], nextCursor: '' };
    const key = JSON.stringify(request);
    const stamps = new Map(stamp && [[key, stamp]]);
    const found = await context.pages.get(
      [key],
      stamps,
      // Several callers share this read, so it continues when one of them disconnects.
      async () => new Map([[key, await read(new AbortController().signal)]]),
    );
    return found.get(key)!;
  };

const datesOf = ({ createdAfter, createdBefore, changedAfter }: ListSubmissionsRequest) => [
  createdAfter,
  createdBefore,
  changedAfter,
];

async function readPage({ submissions, searches }: ListContext, request: ListSubmissionsRequest): Promise<Page> {
  const size = sizeOf(request);
  const before = request.cursor === '' ? undefined : openCursor(request.cursor);
  const filter = { ...filterOf(request.filter), ...searchOf(request) };
  const slot = filter.words?.length ? startSearch(searches, request.ownerId) : undefined;
  const page = await submissions
    .page(request.ownerId, request.projectId, filter, size, before, request.omitTranscripts)
    .catch(error => refuseLongSearch(error, filter))
    // The slot stays in use when the caller disconnects, because the database continues its work.
    .finally(() => slot?.[Symbol.dispose]());
  const nextCursor = page.more ? makeCursor(page.submissions.at(-1)!.id) : '';
  return { submissions: page.submissions.map(toMessage), nextCursor };
}

type Page = Pick<ListSubmissionsResponse, 'submissions' | 'nextCursor'>;

const sizeOf = ({ pageSize }: ListSubmissionsRequest): number => Math.min(Math.max(pageSize, 1), LIMITS.pageSize);

/**
 * Requests invitations without holding a slot for lists, so that a slow projects service does not delay lists without
 * people.
 */
async function answerOf(
  { projects }: ListContext,
  request: ListSubmissionsRequest,
  page: Page,
  signal: AbortSignal,
): Promise<ListSubmissionsResponse> {
  const { presentation, projectId } = request;
  const { submissions: clips, nextCursor } = page;
  // Returns the submissions of a short page, not their JSON, because the caller merges it with the next pages.
  const isShort = nextCursor !== '' && clips.length < sizeOf(request);
  if (!presentation || clips.length === 0 || isShort) return page;
  // Several callers may share the page, so the end of the call that read it must not cancel this one.
  const invitationOf = presentation.hasInvitations
    ? await callScope.exit(() => invitationsOf(projects, projectId, clips, { signal }))
    : nobodyInvited;
  const pageJson = jsonOf({ projectId, ...page }, presentation, invitationOf);
  // JSON escapes can make the page longer than the limit of a gRPC message.
  if (pageJson.length > MESSAGE_BYTES - FRAME_BYTES) return page;
  return { submissions: [], nextCursor, pageJson, pageEtag: etagOfText(pageJson) };
}

/** Returns the page in the form that the gateway sends, so that the gateway need not decode it and build it again. */
function jsonOf(
  { projectId, submissions, nextCursor }: Page & { projectId: string },
  presentation: PagePresentation,
  invitationOf: InvitationOf,
): Buffer {
  const page: SubmissionsPageJson = {
    projectId,
    submissions: submissions.map(submission =>
      presentSubmission(submission, { ...presentation, invitation: invitationOf(submission) }),
    ),
    pagination: { nextCursor: nextCursor || null },
  };
  return Buffer.from(JSON.stringify(page));
}

/** Returns the filters that only the list has. */
const searchOf = ({ search = '', linkId, responseSessionId, ...request }: ListSubmissionsRequest): Filter => ({
  words: wordsOf(search, LIMITS.searchWords),
  linkId,
  responseId: responseSessionId,
  mediaStatus: mediaStatusOf(request.mediaStatus),
  createdAfter: request.createdAfter,
  createdBefore: request.createdBefore,
  changedAfter: request.changedAfter,
  origins: request.origins?.origins.map(({ linkId, responseSessionId }) => ({
    linkId,
    responseId: responseSessionId || undefined,
  })),
});

function startSearch(searches: Context['searches'], ownerId: string): Disposable {
  const slot = searches.tryTake([ownerId]);
  if (slot) return slot;
  noteShed('search');
  const sentence = 'Too many searches are running; try again in a moment.';
  throw new DomainError('unavailable', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}

function refuseLongSearch(error: unknown, { words = [] }: Filter): never {
  if (words.length === 0 || !isOutOfTime(error)) throw error;
  throw new DomainError('unavailable', 'The search took too long; look for rarer words.', { cause: error });
}

// The version distinguishes this cursor from later kinds of cursor.
const makeCursor = (id: string): string => Buffer.from(`1:${id}`).toString('base64url');

function openCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString().replace(/^1:/, '');
  if (!isUuid(id) || makeCursor(id) !== cursor)
    throw new DomainError('invalid', 'cursor must be a nextCursor that an earlier page gave, unchanged.');
  return id;
}
