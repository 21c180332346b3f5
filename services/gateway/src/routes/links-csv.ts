import { Readable } from 'node:stream';
import { csvCell } from '@recording-request/contract/csv';
import { downloadName } from '@recording-request/contract/download-name';
import { type LinksCsvInput, LinksCsvQuery } from '@recording-request/contract/link-requests';
import { presentLink } from '@recording-request/contract/present';
import { ProjectParams } from '@recording-request/contract/requests';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import type { ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance } from 'fastify';
import { linkFilterOf, pagesOfLinks } from '../clients/link-pages.ts';
import type { Page } from '../clients/pages.ts';
import type { Context } from '../context.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { knownName } from './submissions.ts';

/** The columns in their order. Owners' programs count columns, so add new ones at the end. */
const COLUMNS: [name: string, cell: (link: RecipientLinkJson) => string | number | null][] = [
  ['name', ({ recipient }) => recipient?.name ?? null],
  ['reference', ({ recipient }) => recipient?.reference ?? null],
  ['email', ({ recipient }) => recipient?.email ?? null],
  ['locale', ({ recipient }) => recipient?.locale ?? null],
  ['recipientUrl', ({ recipientUrl }) => recipientUrl],
  ['state', ({ state }) => state],
  ['dueAt', ({ dueAt }) => dueAt],
  ['tokenId', ({ tokenId }) => tokenId],
  // One column, because the names of all metadata are not known before the last row.
  ['metadata', ({ metadata }) => (Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata))],
  ['remindersSent', ({ remindersSent }) => remindersSent],
  ['remindersStopped', ({ remindersStopped }) => String(remindersStopped)],
];
const HEADER = `${COLUMNS.map(([name]) => name).join()}\r\n`;

const rowOf = (link: RecipientLinkJson): string => `${COLUMNS.map(([, cell]) => csvCell(cell(link))).join()}\r\n`;

export async function linksCsvRoute(app: FastifyInstance, context: Context): Promise<void> {
  const { services, streams, baseUrl } = context;
  app.get<{ Querystring: LinksCsvInput }>(
    '/api/projects/:projectId/links.csv',
    {
      config: { ...owner('links:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'exportLinksCsv',
        tag: 'extensions',
        summary: 'The single-recipient links of a project as a table, for a mail merge',
        description: `One row per link, in order of creation, with the columns ${COLUMNS.map(([name]) => name).join(', ')}. \`metadata\` is a JSON object. New columns are added at the end.`,
        params: ProjectParams,
        query: LinksCsvQuery,
        file: 'text/csv',
      }),
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { bom = 0, ...filter } = request.query;
      const named = knownName(context, project);
      const pages = pagesOfLinks(services, project, request.clientGone, { filter: linkFilterOf(filter) });
      // Reads the first page before it sends headers, so that an error can still be sent as JSON.
      const [projectName, first] = await Promise.all([named, pages.next()]);
      const isHead = request.method === 'HEAD';
      if (!isHead && !first.done && !first.value.isLast) streams.lists(request, reply);
      const content = isHead ? [] : rowsOf(first, pages, bom === 1);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', contentDisposition('attachment', downloadName([projectName], 'links.csv')))
        .send(Readable.from(content, { objectMode: true, highWaterMark: 1 }));
    },
  );

  async function* rowsOf(
    first: IteratorResult<Page<ListLinksResponse>>,
    rest: AsyncIterator<Page<ListLinksResponse>>,
    withMark: boolean,
  ): AsyncGenerator<string> {
    let before = `${withMark ? '\ufeff' : ''}${HEADER}`;
    for (let page = first; !page.done; page = await rest.next()) {
      yield before + page.value.uniqueLinks.map(link => rowOf(presentLink(link, baseUrl))).join('');
      before = '';
    }
  }
}
