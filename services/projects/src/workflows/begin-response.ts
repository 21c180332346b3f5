import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { detailsOf, type Link, NO_END, noSuchLink } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { acceptedTerms, type Response, responseKey } from '../domain/response.ts';
import { settingsOfResponse } from '../domain/time-limit.ts';
import { claim, emptyHold, reclaim, refuseEarly } from './claim-use.ts';
import { whileChanging } from './current-response.ts';
import { openInvitation, sealReference } from './invitations.ts';

type Deps = Pick<Context, 'config' | 'store' | 'clock' | 'secrets'>;

export interface Beginning {
  linkId: string;
  /** '' if the caller does not know it. */
  projectId: string;
  sessionId: string;
  termsAccepted: boolean;
  /** The reference in the address that the contributor opened. */
  reference?: string | undefined;
}

/** One try: the request, with the current link and project. */
interface Try extends Beginning {
  link: Link;
  /**
   * The link as it applies to a device that has begun no response: it counts as disabled while its owner is disabled.
   */
  linkForNew: Link;
  project: Project;
}

/**
 * Claims a use and copies the settings into the response. A repeated session joins the existing response; so does a
 * second device with a unique link.
 */
export async function beginResponse(
  deps: Deps,
  beginning: Beginning,
): Promise<{ response: Response; project: Project }> {
  const { store } = deps;
  return await whileChanging(async () => {
    const { linkId, projectId } = beginning;
    const found = await store.claimables.find({ linkId, projectId });
    if (!found) throw noSuchLink();
    const { link, project, isDisabled } = found;
    const linkForNew = isDisabled ? { ...link, disabled: true } : link;
    const given = { ...beginning, link, linkForNew, project };
    const response = await beginOrJoin(deps, given);
    return response && { response, project };
  });
}

/** Tries to begin first, and looks the session up only after a failure, because nearly every session is new. */
async function beginOrJoin(deps: Deps, given: Try): Promise<Response | null> {
  const { responses } = deps.store;
  const refusal: unknown[] = [];
  const begun = await begin(deps, given).catch(error => {
    refusal.push(error);
    return null;
  });
  if (begun) return begun;
  const { _id: linkId, type } = given.link;
  const known = await (type === 'unique'
    ? responses.findSolo(linkId)
    : responses.find(responseKey(linkId, given.sessionId)));
  if (known) return await join(deps, given, known);
  if (refusal.length > 0) throw refusal[0];
  return null;
}

/** Returns null if another request was faster: retry. */
async function begin(
  deps: Deps,
  { link, linkForNew, project, sessionId, termsAccepted, reference }: Try,
): Promise<Response | null> {
  const now = deps.clock.now();
  refuseEarly(linkForNew, project, now);
  const { store } = deps;
  const _id = responseKey(link._id, sessionId);
  const response: Response = {
    _id,
    sessionId,
    linkId: link._id,
    projectId: link.projectId,
    ownerId: link.ownerId,
    link: detailsOf(link),
    ...(link.type === 'unique' ? { solo: true as const } : {}),
    settings: settingsFor(deps, link, project),
    ...(await keptReference(deps, { _id, link, project, reference })),
    terms: acceptedTerms(project.settings, termsAccepted, now),
    use: 'claiming',
    ...emptyHold(deps, now),
    answers: [],
    complete: false,
    createdAt: now,
    transfer: store.transfers.make('begin', now),
  };
  return (await store.responses.insert(response)) ? await claim(deps, response) : null;
}

/** Returns the settings with which a response of this link begins now. */
const settingsFor = (deps: Deps, link: Link, project: Project): Response['settings'] =>
  settingsOfResponse(project.settings, openInvitation(deps, link).timeFactor);

/** Returns the fields with the reference; none unless the link is shared and its project accepts references. */
async function keptReference(
  deps: Deps,
  { _id, link, project, reference }: Pick<Try, 'link' | 'project' | 'reference'> & Pick<Response, '_id'>,
): Promise<Partial<Response>> {
  if (reference === undefined || link.type !== 'shared' || !project.settings.acceptReference) return {};
  if (!project.hasInvitations) await deps.store.projects.setHasInvitations(project._id);
  return sealReference(deps, { _id, projectId: project._id }, reference);
}

async function join(deps: Deps, given: Try, known: Response): Promise<Response | null> {
  const response = known.use === 'claiming' ? await deps.store.transfers.settled(known._id) : known;
  if (!response) return null;
  const sameDevice = response.sessionId === given.sessionId;
  if (!sameDevice && response.complete) {
    throw new DomainError('gone', 'The answer to this recording link was sent already.', { reason: 'answer_sent' });
  }
  if (response.use !== 'released') {
    if (!sameDevice) acceptedTerms(response.settings, given.termsAccepted, deps.clock.now());
    return response;
  }
  // Waits for a running transfer first, because it may be the one that releases the use.
  const settled = response.transfer ? await deps.store.transfers.settled(response._id) : response;
  return settled?.use === 'released' ? await beginAgain(deps, given, settled, sameDevice) : null;
}

/**
 * The device that began the response may continue it even after the expiry or the close of the project; another device may do so only if the link
 * accepts new claims.
 */
async function beginAgain(deps: Deps, given: Try, response: Response, sameDevice: boolean): Promise<Response | null> {
  const now = deps.clock.now();
  refuseEarly(sameDevice ? given.link : given.linkForNew, sameDevice ? NO_END : given.project, now);
  const frozen = sameDevice ? {} : settingsForAnother(deps, given, response, now);
  return await reclaim(deps, response, { ...emptyHold(deps, now), ...frozen }, now);
}

/**
 * Returns the project's current settings for a response that has no byte. Any other response keeps its settings,
 * because a recording may exist.
 */
function settingsForAnother(deps: Deps, { link, project, termsAccepted }: Try, response: Response, now: Date) {
  const settings = response.hasBytes ? response.settings : settingsFor(deps, link, project);
  const terms = acceptedTerms(settings, termsAccepted, now);
  return response.hasBytes ? {} : { settings, terms };
}
