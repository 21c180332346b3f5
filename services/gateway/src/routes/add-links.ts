import { LIMITS } from '@recording-request/contract/limits';
import {
  AddLinksBody,
  AddLinksQuery,
  type AddLinksQueryInput,
  type OnDuplicateName,
} from '@recording-request/contract/link-requests';
import { presentApiUser } from '@recording-request/contract/present';
import { ProjectParams } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import {
  type DuplicateRowJson,
  INVALID_ROWS_SHOWN,
  LinksAdded,
  LinksChecked,
  type LinksCheckedJson,
} from '@recording-request/contract/resources/links-added';
import { DomainError } from '@recording-request/kit/errors';
import {
  type AddLinksRequest,
  type AddLinksResponse,
  OnDuplicate,
} from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { pagesOfCreated } from '../clients/link-pages.ts';
import type { Services } from '../clients/services.ts';
import type { Context } from '../context.ts';
import { hashOfJson } from '../domain/json-hash.ts';
import { owner } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { acceptCsv, PEOPLE_BYTES } from '../plugins/bodies.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';
import { presentInOrder } from './created-links.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_RULE, idempotencyHeaders, idempotencyKeyOf } from './idempotency.ts';
import { sendList } from './list-answer.ts';
import { errorsByLine, invalidRows, type People, peopleOf, sendErrors, takesFile } from './people-rows.ts';

// The deadline of the creation of a project, which may create as many links.
const DEADLINE_MS = 60_000;
const FILE = `A header row and at most ${LIMITS.count.toLocaleString('en')} rows, separated by commas, semicolons or tabs (a line such as sep=; may come first), in UTF-8, or UTF-16 with a byte order mark. The columns are name, reference, email, locale, dueAt, timeFactor and meta.… for metadata, in any order; a column "error" is ignored.`;

/** The answer to rows with faults or duplicates, for openapi.json. */
const CONFLICT = `${IDEMPOTENCY_ERRORS[409]} Or a row is a duplicate: recipient_duplicate.`;

export async function addLinksRoute(app: FastifyInstance, context: Context): Promise<void> {
  acceptCsv(app);
  const validate = app.validatorCompiler!;
  app.post<{ Querystring: AddLinksQueryInput }>(
    '/api/projects/:projectId/links',
    {
      ...withoutSchemaSerializer,
      bodyLimit: PEOPLE_BYTES,
      config: { ...owner('projects:write'), answerBytes: LIST_PAGE_BYTES },
      // The handler checks the rows, because a dry run lists their faults.
      validatorCompiler: schema => (schema.httpPart === 'body' ? () => true : validate(schema)),
      schema: operation({
        id: 'addLinks',
        tag: 'extensions',
        summary: 'Add links for people, from JSON or a CSV file',
        description: `Creates a single-recipient link for each row, or nothing: invalid rows are 400 and duplicates 409, and the sentence names the first. A CSV file that is refused for its rows comes back with a column \`error\` if \`Accept\` has text/csv. With dryRun, creates nothing and answers a LinksChecked. ${IDEMPOTENCY_RULE}`,
        params: ProjectParams,
        query: AddLinksQuery,
        headers: idempotencyHeaders('request'),
        body: AddLinksBody,
        csvBody: FILE,
        json: { 200: Type.Union([ref(LinksAdded), ref(LinksChecked)]) },
        also: { ...IDEMPOTENCY_ERRORS, 409: CONFLICT, 415: 'The body is neither JSON nor CSV.' },
      }),
    },
    async (request, reply) => {
      const people = await peopleOf(request);
      if (request.query.dryRun) return reply.send(await dryRun(context, request, people));
      if (people.faults.length > 0) {
        if (!takesFile(request, people)) throw invalidRows(people);
        const errors = [...errorsByLine(people.faults), ...(await duplicateErrors(context, request, people))];
        return sendErrors(reply, 400, 'value_invalid', people, new Map(errors));
      }
      return await addLinks(context, request, reply, people);
    },
  );
}

const onDuplicateOf = ({ query }: FastifyRequest, { onDuplicate }: People): OnDuplicateName =>
  onDuplicate ?? (query as AddLinksQueryInput).onDuplicate ?? 'error';

const requestOf = (request: FastifyRequest, { valid }: People, onDuplicate: OnDuplicateName): AddLinksRequest => ({
  ...projectOf(request),
  invitations: valid.map(({ invitation }) => invitation),
  onDuplicate: onDuplicate === 'skip' ? OnDuplicate.ON_DUPLICATE_SKIP : OnDuplicate.ON_DUPLICATE_ERROR,
  dryRun: false,
  idempotencyKey: '',
  bodyHash: Buffer.alloc(0),
});

const duplicatesOf = ({ duplicates }: AddLinksResponse, { valid }: People): DuplicateRowJson[] =>
  duplicates.map(({ index, linkId }) => ({ line: valid[index]!.line, tokenId: linkId || null }));

async function dryRun({ services }: Context, request: FastifyRequest, people: People): Promise<LinksCheckedJson> {
  const valid = people.valid.length;
  const invalid = people.faults.slice(0, INVALID_ROWS_SHOWN);
  if (valid === 0) return { valid, invalid, duplicates: [], allowanceAfter: await allowanceOf(services, request) };
  const checked = await tryOut(services, request, people);
  const { allowanceAfter = null, allowanceMissing } = checked;
  const duplicates = duplicatesOf(checked, people);
  return { valid, invalid, duplicates, allowanceAfter: allowanceMissing ? -allowanceMissing : allowanceAfter };
}

const tryOut = (services: Services, request: FastifyRequest, people: People): Promise<AddLinksResponse> =>
  services.projects.addLinks({ ...requestOf(request, people, 'skip'), dryRun: true }, { deadlineMs: DEADLINE_MS });

/**
 * Returns the sentences for the duplicates in a file that is refused because of other rows; none if duplicates may be
 *  skipped.
 */
async function duplicateErrors({ services }: Context, request: FastifyRequest, people: People) {
  if (people.valid.length === 0 || onDuplicateOf(request, people) === 'skip') return [];
  return errorsOf(duplicatesOf(await tryOut(services, request, people), people));
}

/** Returns the allowance of the owner. Throws `not_found` for another owner's project. */
async function allowanceOf({ projects, accounts }: Services, request: FastifyRequest): Promise<number | null> {
  const project = projectOf(request);
  await projects.getProject({ ...project, nameOnly: true });
  const { user } = await accounts.getUser({ userId: project.ownerId });
  if (!user) throw new Error('the reply has no user');
  return presentApiUser(user, 0).remainingVideos;
}

async function addLinks(context: Context, request: FastifyRequest, reply: FastifyReply, people: People) {
  const { services, baseUrl, streams } = context;
  const project = projectOf(request);
  const onDuplicate = onDuplicateOf(request, people);
  // Reserves the stream before it creates links, as for the creation of a project.
  if (people.valid.length > LIMITS.linkPageSize) streams.lists(request, reply);
  const message = requestOf(request, people, onDuplicate);
  const { projectId } = project;
  const added = await services.projects.addLinks(
    {
      ...message,
      idempotencyKey: idempotencyKeyOf(request),
      bodyHash: hashOfJson({ projectId, links: message.invitations, onDuplicate }),
    },
    { deadlineMs: DEADLINE_MS },
  );
  context.recentProjects.invited(project);
  const duplicates = duplicatesOf(added, people);
  if (onDuplicate === 'error' && duplicates.length > 0) return refuseDuplicates(request, reply, people, duplicates);
  if (added.replayed) reply.header('idempotent-replayed', 'true');
  const skipped = new Set(added.duplicates.map(({ index }) => index));
  const invitations = message.invitations.filter((_, index) => !skipped.has(index));
  return await sendList(request, reply, context, {
    name: 'links',
    before: () => ({ projectId, created: added.created, skipped: duplicates }),
    rows: presentInOrder(invitations, { baseUrl, expiresAt: added.links[0]?.expiresAt }),
    pages: pagesOfCreated(services, project, request.clientGone, {
      first: added.links,
      cursor: added.linksCursor,
      count: added.created,
    }),
    isAdmitted: true,
  });
}

function refuseDuplicates(
  request: FastifyRequest,
  reply: FastifyReply,
  people: People,
  duplicates: DuplicateRowJson[],
) {
  const reason = 'recipient_duplicate';
  if (takesFile(request, people)) return sendErrors(reply, 409, reason, people, new Map(errorsOf(duplicates)));
  const { line, tokenId } = duplicates[0]!;
  const where = people.file ? `Line ${line}:` : `links[${line - 1}]:`;
  const others = duplicates.length - 1;
  const more = others === 0 ? '' : `; ${others} more ${others === 1 ? 'row is a duplicate' : 'rows are duplicates'}`;
  const sentence = `${where} ${duplicateOf(tokenId)}${more}. Nothing was created; onDuplicate=skip leaves duplicates out.`;
  throw new DomainError('conflict', sentence, { reason });
}

const errorsOf = (duplicates: DuplicateRowJson[]) =>
  duplicates.map(({ line, tokenId }): [line: number, sentence: string] => [line, duplicateOf(tokenId)]);

const duplicateOf = (tokenId: string | null): string =>
  tokenId === null ? 'an earlier row has the same person' : `the person has the link ${tokenId} already`;
