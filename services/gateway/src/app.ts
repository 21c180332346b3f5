import { brandMark } from '@recording-request/web-shared/brand';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Context } from './context.ts';
import { httpServer } from './http-server.ts';
import { installAccess } from './plugins/access.ts';
import { installAnswerMemory } from './plugins/answer-memory.ts';
import { installBodies } from './plugins/bodies.ts';
import { installClientGone } from './plugins/client-gone.ts';
import { installCompression } from './plugins/compression.ts';
import { frameworkErrorHandler, installErrors } from './plugins/errors.ts';
import { installLoadShed } from './plugins/load-shed.ts';
import { overrideMethod } from './plugins/method-override.ts';
import { installNotModified } from './plugins/not-modified.ts';
import { installOpenApi } from './plugins/openapi.ts';
import { installProxyWarning } from './plugins/proxy-warning.ts';
import { createRateLimits } from './plugins/rate-limit.ts';
import { installRequestId, newRequestId } from './plugins/request-id.ts';
import { installRequestLog } from './plugins/request-log.ts';
import { installSecurityHeaders } from './plugins/security-headers.ts';
import { installShortBodies } from './plugins/short-body.ts';
import { answerClientError, answerConnect, answerCrowded } from './plugins/socket-answers.ts';
import { installUnknownFilters } from './plugins/unknown-filters.ts';
import { installValidation } from './plugins/validation.ts';
import { addLinksRoute } from './routes/add-links.ts';
import { brandRoutes } from './routes/brand.ts';
import { dashboardRoutes } from './routes/dashboard.ts';
import { dashboardExtensionRoutes } from './routes/dashboard-extensions.ts';
import { dashboardPageRoutes } from './routes/dashboard-page.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { descriptionRoutes } from './routes/descriptions.ts';
import { erasureRoutes } from './routes/erasures.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/exports.ts';
import { healthRoutes } from './routes/health.ts';
import { linkActionRoutes } from './routes/link-actions.ts';
import { linkErasureRoutes } from './routes/link-erasures.ts';
import { linkRoutes } from './routes/links.ts';
import { linksCsvRoute } from './routes/links-csv.ts';
import { logoRoutes } from './routes/logo.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { meRoutes } from './routes/me.ts';
import { mediaRoutes } from './routes/media.ts';
import { newPageRoutes } from './routes/new-page.ts';
import { projectRoutes } from './routes/projects.ts';
import { recorderRoutes } from './routes/recorder.ts';
import { remindersRoutes } from './routes/reminders.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { transcriptRoutes } from './routes/transcripts.ts';
import { uploadRoutes } from './routes/uploads.ts';

// Our longest ids are tokens with 42 characters, so a longer segment than this limit is not an id.
const PARAM_LENGTH = 200;

/** Builds the whole gateway; it does not listen yet. */
export async function buildApp(context: Context): Promise<FastifyInstance> {
  const { config, log, brand } = context;
  const limits = createRateLimits(context);
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    genReqId: newRequestId,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    routerOptions: { maxParamLength: PARAM_LENGTH },
    rewriteUrl: overrideMethod,
    bodyLimit: config.bodyLimitBytes,
    trustProxy: config.trustedProxies.areSet && config.trustedProxies.trusts,
    serverFactory: handle => httpServer(handle, config, (socket, running) => answerCrowded.call(app, socket, running)),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: frameworkErrorHandler(limits, config),
    clientErrorHandler: answerClientError,
  }) as unknown as FastifyInstance;
  app.server.on('connect', answerConnect.bind(app));
  app.decorate('brandMark', brandMark(brand));

  installRequestId(app);
  installRequestLog(app);
  installProxyWarning(app, context);
  installSecurityHeaders(app, context);
  installErrors(app, limits);
  installShortBodies(app);
  installValidation(app);
  installBodies(app, context);
  await installLoadShed(app, context);
  installAccess(app, context, limits);
  installUnknownFilters(app);
  installClientGone(app);
  // Register this hook before compression: an HTTP response that it replaces by a refusal must not have encoding
  // headers yet.
  installAnswerMemory(app, context);
  installCompression(app);
  installNotModified(app);
  await installOpenApi(app, context);

  await app.register(healthRoutes, context);
  await app.register(meRoutes, context);
  await app.register(projectRoutes, context);
  await app.register(logoRoutes, context);
  await app.register(linkRoutes, context);
  await app.register(addLinksRoute, context);
  await app.register(remindersRoutes, context);
  await app.register(linkActionRoutes, context);
  await app.register(linksCsvRoute, context);
  await app.register(submissionRoutes, context);
  await app.register(reviewRoutes, context);
  await app.register(exportRoutes, context);
  await app.register(transcriptRoutes, context);
  await app.register(mediaRoutes, context);
  await app.register(deliveryRoutes, context);
  await app.register(eventRoutes, context);
  await app.register(erasureRoutes, context);
  await app.register(linkErasureRoutes, context);
  await app.register(dashboardRoutes, context);
  await app.register(dashboardExtensionRoutes, context);
  await app.register(dashboardPageRoutes, context);
  await app.register(newPageRoutes, context);
  await app.register(recorderRoutes, context);
  await app.register(uploadRoutes, context);
  await app.register(brandRoutes, context);
  await app.register(mcpRoutes, context);
  await app.register(descriptionRoutes, context);

  await app.ready();
  return app;
}
