import { DomainError } from '@recording-request/kit/errors';
import type { RenderedDocument } from '@recording-request/web-shared/document';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { open } from '../plugins/access-kinds.ts';
import { sendDocument } from './answers.ts';

/** The page below a link on which its person stops the reminders. */
export interface StopPage {
  status: number;
  document: RenderedDocument;
}

type WithToken = { Params: { token: string } };

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const FORM = Type.String();
const FORM_BYTES = 4_096;
/**
 * The bodies that stop the reminders: from the page's button, and from a mail program's one-click unsubscribe (RFC
 *  8058, in both forms).
 */
const STOPS =
  /(?:^|&)(?:stop=reminders|List-Unsubscribe=One-Click)(?:&|$)|; name="?List-Unsubscribe"?\r\n(?:.+\r\n)*\r\nOne-Click\r\n/;

/**
 * GET and HEAD stop nothing, because mail scanners open each address. Only the POST of the page's form, or of a mail
 * program's button, stops the reminders. `show` renders the page, before or after the stop.
 */
export async function stopRemindersRoutes(
  app: FastifyInstance,
  show: (request: FastifyRequest<WithToken>, stop: boolean) => Promise<StopPage>,
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    FORMS,
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_request: FastifyRequest, body: string) => body,
  );
  const answer = async (request: FastifyRequest<WithToken>, reply: FastifyReply) => {
    const { method, body } = request;
    if (method === 'POST' && typeof body !== 'string') throw new DomainError('invalid', 'Send the form of this page.');
    const stops = typeof body === 'string' && STOPS.test(body);
    const { status, document } = await show(request, stops);
    return sendDocument(reply, status, document);
  };
  const path = '/r/:token/reminders';
  app.get<WithToken>(path, { config: open('address') }, answer);
  const schema = { hide: true, body: { content: Object.fromEntries(FORMS.map(type => [type, { schema: FORM }])) } };
  app.post<WithToken>(path, { config: open('address'), bodyLimit: FORM_BYTES, schema }, answer);
}
