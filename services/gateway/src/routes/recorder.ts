import { recipientUrl } from '@recording-request/contract/addresses';
import { linkStatusName, presentResponse } from '@recording-request/contract/present';
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
import { ref } from '@recording-request/contract/resources/fields';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { LinkType, type Response } from '@recording-request/proto/projects/v1/projects';
import { recorderAssets } from '@recording-request/web-recorder/assets';
import { renderRecorder } from '@recording-request/web-recorder/document';
import { chooseLanguage, type Language } from '@recording-request/web-recorder/languages';
import { recorderPage, thankYouPage, unknownLinkPage } from '@recording-request/web-recorder/page';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { qrCode } from '../adapters/qr-code.ts';
import type { Context } from '../context.ts';
import { open, recipient } from '../plugins/access-kinds.ts';
import { recipientOf } from '../plugins/caller.ts';
import { sendDocument } from './answers.ts';
import { pageAssetRoutes } from './page-assets.ts';

type WithToken = { Params: { token: string } };
type WithResponse = { Params: { token: string; responseSessionId: string } };

/** The contributor's page and the JSON half of the upload interface; the bytes are in uploads.ts. */
export async function recorderRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services, baseUrl, brand } = context;

  const assets = recorderAssets();
  const look = { style: assets.style, scriptName: assets.scriptName, brand };
  pageAssetRoutes(app, assets);

  // A page, so an unknown link is answered with a page: it looks the token up itself.
  app.get<WithToken>('/r/:token', { config: open('address') }, async (request, reply) => {
    const language = languageOf(request);
    const found = await findLink(request);
    if (!found?.settings) return sendDocument(reply, 404, renderRecorder(look, unknownLinkPage(language, brand)));
    const status = linkStatusName(found.status);
    // A response that was begun goes on, so the page carries its script even where new ones are refused.
    const shared = found.linkType === LinkType.LINK_TYPE_SHARED;
    const page = recorderPage({ settings: found.settings, shared, status, language, brand });
    return sendDocument(reply, status === 'active' ? 200 : 410, renderRecorder(look, page));
  });

  app.get<WithToken>('/r/:token/thank-you', { config: open('none') }, async (request, reply) =>
    sendDocument(reply, 200, renderRecorder(look, thankYouPage(languageOf(request), brand))),
  );

  // To go on with a phone: the link as a picture, made here, so that no third party learns of it.
  app.get<WithToken>('/r/:token/qr.png', { config: recipient('none') }, async (request, reply) => {
    const { png } = await qrCode(recipientUrl(baseUrl, request.params.token));
    return reply.type('image/png').send(png);
  });

  app.post('/r/:token/opened', { config: recipient('contributor') }, async (request, reply) => {
    await services.projects.openLink({ linkId: recipientOf(request).linkId });
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
      // No body at all is the same as an empty one: both fields can be left out.
      preValidation: async request => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      const { linkId } = recipientOf(request);
      const { responseSessionId = '', termsAccepted = false } = request.body;
      const { response } = await services.projects.beginResponse({
        linkId,
        responseSessionId: responseSessionId.toLowerCase(),
        termsAccepted,
      });
      return reply.code(201).send(await show(request.params.token, linkId, response));
    },
  );

  app.get<WithResponse>(
    '/r/:token/responses/:responseSessionId',
    {
      config: recipient('none'),
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

  async function findLink(request: FastifyRequest<WithToken>) {
    const { token } = request.params;
    if (!tokenIsWellFormed('vr', token)) return undefined;
    try {
      // Never remembered: the page is about whether the link still takes responses.
      return await services.projects.resolveRecipient({ tokenHash: hashToken(token) });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async function load(request: FastifyRequest<WithResponse>): Promise<ContributorResponseJson> {
    const { linkId } = recipientOf(request);
    const { token, responseSessionId } = request.params;
    const { response } = await services.projects.getResponse({ linkId, responseSessionId });
    return show(token, linkId, response);
  }

  async function show(token: string, linkId: string, response: Response | undefined): Promise<ContributorResponseJson> {
    if (!response) throw new Error('a response came empty');
    const { responseSessionId } = response;
    const { uploads } = await services.submissions.listUploads({ linkId, responseSessionId });
    return presentResponse(response, uploads, { baseUrl, token });
  }
}

function languageOf(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: unknown };
  return chooseLanguage(typeof lang === 'string' ? lang : undefined, request.headers['accept-language']);
}
