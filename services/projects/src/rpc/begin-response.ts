import { createHash } from 'node:crypto';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { BeginResponseRequest, BeginResponseResponse } from '@recording-request/proto/projects/v1/projects';
import { type Context, noSuchLink } from '../context.ts';
import type { Link } from '../domain/link.ts';
import type { Project, Settings } from '../domain/project.ts';
import { type Response, responseKey } from '../domain/response.ts';
import type { ResponseDocument } from '../store/schemas.ts';
import { checkedSession, claim, emptyHold, reclaim, refuseEarly, TRIES, tooBusy } from '../workflows/claim-use.ts';
import { messageOf } from './response-messages.ts';

/** What one call is about. */
interface Beginning {
  link: Link;
  project: Project;
  sessionId: string;
  termsAccepted: boolean;
}

/** Claims a use and freezes the settings; the same session again, or a second device of a unique link, joins. */
export const beginResponse =
  (context: Context) =>
  async (request: BeginResponseRequest): Promise<BeginResponseResponse> => {
    const { store } = context;
    const sessionId = request.responseSessionId === '' ? uuidv7() : checkedSession(request.responseSessionId);
    for (let tries = 0; tries < TRIES; tries++) {
      const link = await store.links.find(request.linkId);
      if (!link) throw noSuchLink();
      const project = await store.projects.find(link.ownerId, link.projectId);
      if (!project) throw noSuchLink();
      const beginning = { link, project, sessionId, termsAccepted: request.termsAccepted };
      const response = link.type === 'unique' ? await onUnique(context, beginning) : await onShared(context, beginning);
      if (response) return { response: messageOf(response, project.settings.transcriptionEnabled) };
    }
    throw tooBusy();
  };

async function onUnique(context: Context, beginning: Beginning): Promise<ResponseDocument | null> {
  const known = await context.store.responses.findSolo(beginning.link._id);
  return known ? await join(context, beginning, known) : await begin(context, beginning);
}

/** On a contended link nearly every session is new: whether it is known is asked only when it cannot begin. */
async function onShared(context: Context, beginning: Beginning): Promise<ResponseDocument | null> {
  const refusal: unknown[] = [];
  const begun = await begin(context, beginning).catch(error => {
    refusal.push(error);
    return null;
  });
  if (begun) return begun;
  const known = await context.store.responses.find(responseKey(beginning.link._id, beginning.sessionId));
  if (known) return await join(context, beginning, known);
  if (refusal.length > 0) throw refusal[0];
  return null;
}

/** null where somebody else was faster: look again. */
async function begin(context: Context, beginning: Beginning): Promise<ResponseDocument | null> {
  const { link, project, sessionId } = beginning;
  const now = new Date();
  refuseEarly(link, project.expiresAt, now);
  const { store } = context;
  const response: ResponseDocument = {
    _id: responseKey(link._id, sessionId),
    sessionId,
    linkId: link._id,
    projectId: link.projectId,
    ownerId: link.ownerId,
    ...(link.type === 'unique' ? { solo: true as const } : {}),
    settings: project.settings,
    terms: termsFor(project.settings, beginning.termsAccepted, now),
    use: 'claiming',
    ...emptyHold(context, now),
    answers: [],
    complete: false,
    createdAt: now,
    transfer: store.transfers.make('begin', now),
  };
  return (await store.responses.insert(response)) ? await claim(context, response) : null;
}

async function join(context: Context, beginning: Beginning, known: ResponseDocument): Promise<ResponseDocument | null> {
  const response = known.use === 'claiming' ? await context.store.transfers.settled(known._id) : known;
  if (!response) return null;
  const sameDevice = response.sessionId === beginning.sessionId;
  if (!sameDevice && response.complete) {
    throw new DomainError('gone', 'The answer to this recording link was sent already.');
  }
  if (response.use !== 'released') {
    if (!sameDevice) termsFor(response.settings, beginning.termsAccepted, new Date());
    return response;
  }
  // A transfer that gave the use back may still be under way.
  const settled = response.transfer ? await context.store.transfers.settled(response._id) : response;
  return settled?.use === 'released' ? await beginAgain(context, beginning, settled, sameDevice) : null;
}

/** Who began it goes on, past the expiry too; anybody else needs a link that takes new claims. */
async function beginAgain(
  context: Context,
  beginning: Beginning,
  response: ResponseDocument,
  sameDevice: boolean,
): Promise<ResponseDocument | null> {
  const { link, project } = beginning;
  const now = new Date();
  refuseEarly(link, sameDevice ? null : project.expiresAt, now);
  const frozen = sameDevice ? {} : settingsForAnother(beginning, response, now);
  return await reclaim(context, response, { ...emptyHold(context, now), ...frozen }, now);
}

/** A response that never had a byte is begun anew, with the settings of today; a take may exist of any other. */
function settingsForAnother(beginning: Beginning, response: ResponseDocument, now: Date) {
  const settings = response.hasBytes ? response.settings : beginning.project.settings;
  const terms = termsFor(settings, beginning.termsAccepted, now);
  return response.hasBytes ? {} : { settings, terms };
}

/** What is remembered of an acceptance. DomainError `invalid` where terms are required and were not accepted. */
function termsFor(settings: Settings, accepted: boolean, now: Date): Response['terms'] {
  if (!settings.requireTerms) return null;
  if (!accepted) throw new DomainError('invalid', 'termsAccepted must be true: this project requires its terms.');
  return { sha256: createHash('sha256').update(settings.termsText, 'utf8').digest('hex'), acceptedAt: now };
}
