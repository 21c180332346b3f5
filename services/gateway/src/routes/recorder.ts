import { recipientUrl } from '@recording-request/contract/addresses';
import { presentResponse } from '@recording-request/contract/present';
import { completeSettings } from '@recording-request/contract/project-settings';
import { referenceOf } from '@recording-request/contract/reference';
import {
  BeginResponseBody,
  type BeginResponseInput,
  RecipientParams,
  ResponseParams,
  UpdateResponseBody,
  type UpdateResponseInput,
} from '@recording-request/contract/requests';
import {
  ContributorResponse,
  type ContributorResponseJson,
} from '@recording-request/contract/resources/contributor-response';
import { isAnswerMode, ref } from '@recording-request/contract/resources/fields';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import {
  LinkType,
  type ProjectSettings,
  type ResolveRecipientResponse,
  type Response,
} from '@recording-request/proto/projects/v1/projects';
import { recorderAssets } from '@recording-request/web-recorder/assets';
import { type RecorderDocument, renderRecorder } from '@recording-request/web-recorder/document';
import { chooseLanguage, LANGUAGES, type Language } from '@recording-request/web-recorder/languages';
import { recorderPage, thankYouPage, unknownLinkPage, waitPage } from '@recording-request/web-recorder/page';
import { stopRemindersPage } from '@recording-request/web-recorder/stop-reminders';
import { ownersBrand } from '@recording-request/web-shared/brand';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { qrCode } from '../adapters/qr-code.ts';
import type { Context } from '../context.ts';
import { open, recipient } from '../plugins/access-kinds.ts';
import { recipientOf } from '../plugins/caller.ts';
import { takesPage } from '../plugins/errors.ts';
import { noteSubjectOf } from '../plugins/request-log.ts';
import { type LinkedPage, redirectTouched } from '../plugins/touched-links.ts';
import { sendDocument } from './answers.ts';
import { pageAssetRoutes } from './page-assets.ts';
import { statusOf } from './recipient-status.ts';
import { scriptRoute } from './script.ts';
import { stopRemindersRoutes } from './stop-reminders.ts';

// Spreads the retries of phones that were refused at the same time over this time.
const CROWD_SPREAD_SECONDS = 20;
const AWAY_SPREAD_SECONDS = 10;
// During an outage, each check by a page adds load.
const DOWN_MIN_SECONDS = 5;

const PAGE = '/r/:token';

type WithToken = { Params: { token: string } };
type WithResponse = { Params: { token: string; responseSessionId: string } };

/** Serves the contributor's page and the JSON half of the upload interface; uploads.ts handles the bytes. */
export async function recorderRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services, baseUrl, brand } = context;

  const assets = recorderAssets();
  const look = { style: assets.style, scriptName: assets.scriptName, brand };
  const linked: LinkedPage = {
    start: '/r/',
    route: PAGE,
    prefix: 'vr',
    addressOf: token => recipientUrl(baseUrl, token),
    keep(query) {
      const [lang, reference] = [query.get('lang') ?? '', referenceOf(query.get('ref'))];
      const kept = new URLSearchParams({ ...(LANGUAGES.has(lang) && { lang }), ...(reference && { ref: reference }) });
      return kept.size > 0 ? `?${kept}` : '';
    },
  };
  pageAssetRoutes(app, assets);

  // A browser gets an error page for every address under /r/. The upload interface and all other clients get JSON.
  app.errorPages.set(linked.start, reply => {
    const { request, statusCode } = reply;
    const isRefused = statusCode === 429 || statusCode >= 500;
    const redirected = isRefused ? undefined : redirectTouched(reply, linked);
    if (redirected || !takesPage(request.headers)) return redirected;
    if (isRefused) return sendWaitPage(reply);
    return sendDocument(reply, statusCode, renderRecorder(look, unknownLinkPage(languageOf(request), brand)));
  });

  // This handler looks the token up itself, because an unknown link gets a page too.
  app.get<WithToken>(PAGE, { config: open('address') }, async (request, reply) => {
    const redirected = redirectTouched(reply, linked);
    if (redirected) return redirected;
    const found = await findLink(request);
    const language = languageOf(request, found?.locale);
    if (!found?.settings) return sendDocument(reply, 404, renderRecorder(look, unknownLinkPage(language, brand)));
    noteSubjectOf(request, found);
    const { underWay } = found;
    const status = statusOf(found);
    // The page has its script even when the link refuses new responses, because a response that has begun continues.
    const shared = found.linkType === LinkType.LINK_TYPE_SHARED;
    const ofLink = brandOfLink(request, found);
    const page = recorderPage({
      settings: shownSettings(underWay?.settings ?? found.settings),
      invitation: found,
      answered: underWay?.answers.map(({ questionIndex }) => questionIndex),
      shared,
      status,
      language,
      brand: ofLink,
      ref: queryOf(request).ref,
    });
    return sendDocument(reply, status === 'active' ? 200 : 410, renderRecorder({ ...look, brand: ofLink }, page));
  });

  app.get<WithToken>('/r/:token/thank-you', { config: open('contributor') }, async (request, reply) => {
    // The page always says thank you; it omits the owner's message if the link cannot be read.
    const found = await findLink(request).catch(() => undefined);
    const message = found?.settings?.showSuccessDialog ? found.settings.successMessage : '';
    const { response } = queryOf(request);
    const responseSessionId = typeof response === 'string' && isUuid(response) ? response.toLowerCase() : undefined;
    const returnUrl = found && responseSessionId ? await returnUrlOf(found.linkId, responseSessionId) : null;
    const shared = found?.linkType === LinkType.LINK_TYPE_SHARED;
    const takesAnother = shared && statusOf(found) === 'active';
    const ofLink = found ? brandOfLink(request, found) : brand;
    const page = thankYouPage(languageOf(request, found?.locale), ofLink, {
      message,
      returnUrl,
      responseSessionId,
      another: takesAnother ? recipientUrl(baseUrl, request.params.token) : undefined,
      reference: (shared && found.settings?.acceptReference && referenceOf(queryOf(request).ref)) || '',
    });
    return sendDocument(reply, 200, renderRecorder({ ...look, brand: ofLink }, page));
  });

  await app.register(async scope =>
    stopRemindersRoutes(scope, async (request, stop) => {
      const found = await findLink(request);
      const language = languageOf(request, found?.locale);
      const page = (status: number, document: RecorderDocument, shown = brand) => ({
        status,
        document: renderRecorder({ ...look, brand: shown }, document),
      });
      // A shared link has no reminders.
      if (!found?.settings || found.linkType === LinkType.LINK_TYPE_SHARED)
        return page(404, unknownLinkPage(language, brand));
      noteSubjectOf(request, found);
      const { linkId, projectId } = found;
      // Stops them even if the link accepts no responses now, because its owner may open it again.
      if (stop) await services.projects.stopReminders({ linkId, projectId });
      const stopped = stop || found.remindersStopped === true;
      const ofLink = brandOfLink(request, found);
      const { projectName } = found.settings;
      return page(200, stopRemindersPage(language, ofLink, { projectName, stopped }), ofLink);
    }),
  );

  await scriptRoute(app, context, resolve);

  // The QR code of the link, for continuing on a phone. The gateway draws it, so that no third party sees the link.
  app.get<WithToken>('/r/:token/qr.png', { config: recipient('contributor') }, async (request, reply) => {
    const address = recipientUrl(baseUrl, request.params.token);
    const reference = referenceOf(queryOf(request).ref);
    const { png } = await qrCode(reference ? `${address}?ref=${encodeURIComponent(reference)}` : address);
    return reply.type('image/png').send(png);
  });

  // The page of a long interview has only its first questions.
  app.get<WithToken>('/r/:token/questions', { config: recipient('contributor') }, async request => {
    const found = await findLink(request);
    const { settings } = found?.underWay ?? found ?? {};
    return { questions: settings?.interviewQuestions ?? [] };
  });

  app.post('/r/:token/opened', { config: recipient('contributor') }, async (request, reply) => {
    const { linkId, projectId } = recipientOf(request);
    await services.projects.openLink({ linkId, projectId });
    return reply.code(204).send();
  });

  app.post<WithToken & { Body: BeginResponseInput }>(
    '/r/:token/responses',
    {
      config: recipient('address'),
      schema: {
        hide: true,
        params: RecipientParams,
        body: BeginResponseBody,
        response: { 201: ref(ContributorResponse) },
      },
      // A missing body means an empty object, because every field is optional.
      preValidation: async request => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      const { linkId, projectId, ownerId } = recipientOf(request);
      const { responseSessionId = '', termsAccepted = false, reference } = request.body;
      const { response } = await services.projects.beginResponse({
        linkId,
        projectId,
        responseSessionId: responseSessionId.toLowerCase(),
        termsAccepted,
        reference,
      });
      if (reference) context.recentProjects.invited({ ownerId, projectId });
      return reply.code(201).send(await show(request.params.token, linkId, response));
    },
  );

  app.get<WithResponse>(
    '/r/:token/responses/:responseSessionId',
    {
      config: recipient('contributor'),
      schema: { hide: true, params: ResponseParams, response: { 200: ref(ContributorResponse) } },
    },
    request => load(request),
  );

  app.patch<WithResponse & { Body: UpdateResponseInput }>(
    '/r/:token/responses/:responseSessionId',
    {
      config: recipient('contributor'),
      schema: {
        hide: true,
        params: ResponseParams,
        body: UpdateResponseBody,
        response: { 200: ref(ContributorResponse) },
      },
    },
    async request => {
      const { linkId, projectId } = recipientOf(request);
      const { responseSessionId } = request.params;
      await services.submissions.setResponseNote({ linkId, projectId, responseSessionId, note: request.body.note });
      return load(request);
    },
  );

  /** Sends the error's page with the same status and Retry-After. */
  function sendWaitPage(reply: FastifyReply): FastifyReply {
    const crowd = reply.statusCode === 429;
    const retryAfter = Number(reply.getHeader('retry-after') ?? 0);
    const spread = Math.random() * (crowd ? CROWD_SPREAD_SECONDS : AWAY_SPREAD_SECONDS);
    const seconds = Math.ceil((crowd ? retryAfter : Math.max(retryAfter, DOWN_MIN_SECONDS)) + spread);
    return sendDocument(
      reply,
      reply.statusCode,
      renderRecorder(look, waitPage(languageOf(reply.request), brand, seconds, crowd)),
    );
  }

  function brandOfLink({ params }: FastifyRequest<WithToken>, { brand: stated, hasLogo }: ResolveRecipientResponse) {
    const { name = '', accent = '' } = stated ?? {};
    const logo = hasLogo ? `/r/${encodeURIComponent(params.token)}/logo` : undefined;
    return ownersBrand(brand, { name, accent, logo });
  }

  const findLink = (request: FastifyRequest<WithToken>) => resolve(request.params.token);

  async function resolve(token: string) {
    if (!tokenIsWellFormed('vr', token)) return undefined;
    try {
      // Not cached: the page says whether the link still accepts responses.
      return await services.projects.resolveRecipient({ tokenHash: hashToken(token), withResponse: true });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Returns the return address of a complete response; null if it has none, or if the response cannot be read. */
  async function returnUrlOf(linkId: string, responseSessionId: string): Promise<string | null> {
    const reading = services.projects.getResponse({ linkId, responseSessionId, withCompletion: true });
    const found = await reading.catch(() => undefined);
    return found?.response?.completion?.returnUrl || null;
  }

  async function load(request: FastifyRequest<WithResponse>): Promise<ContributorResponseJson> {
    const { linkId } = recipientOf(request);
    const { token, responseSessionId } = request.params;
    const { response } = await services.projects.getResponse({ linkId, responseSessionId, withCompletion: true });
    return show(token, linkId, response);
  }

  async function show(token: string, linkId: string, response: Response | undefined): Promise<ContributorResponseJson> {
    if (!response) throw new Error('the reply has no response');
    const { projectId, responseSessionId } = response;
    const { uploads } = await services.submissions.listUploads({ linkId, projectId, responseSessionId });
    return presentResponse(response, uploads, { baseUrl, token });
  }
}

const shownSettings = (settings: ProjectSettings) => ({
  ...settings,
  answerModes: completeSettings(settings).answerModes.filter(isAnswerMode),
});

/** A request that failed before routing has no parsed query. */
const queryOf = (request: FastifyRequest): Record<string, unknown> => (request.query ?? {}) as Record<string, unknown>;

function languageOf(request: FastifyRequest, stated?: string): Language {
  const { lang } = queryOf(request);
  return chooseLanguage(typeof lang === 'string' ? lang : undefined, request.headers['accept-language'], stated);
}
