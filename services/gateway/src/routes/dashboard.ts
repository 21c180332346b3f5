import { DashboardParams } from '@recording-request/contract/requests';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { dashboard } from '../plugins/access-kinds.ts';
import { operation } from '../plugins/operation.ts';
import { bomQuery, EXPORT_FILES, exportAnswers, sendExport } from './exports.ts';
import { sendQrCode } from './links.ts';

/** Serves the exports that the private dashboard token may read, and the QR code. */
export async function dashboardRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of EXPORT_FILES) {
    app.get(
      `/project/:projectToken/${file.path}`,
      {
        config: dashboard,
        schema: operation({
          id: `dashboardExport${file.id}`,
          tag: file.tag ?? 'dashboard',
          summary: file.summary,
          ...(file.description && { description: file.description }),
          params: DashboardParams,
          ...bomQuery(file),
          ...exportAnswers(file),
        }),
      },
      (request, reply) => sendExport(request, reply, context, file, { includeLinks: true }),
    );
  }

  app.get(
    '/project/:projectToken/shared-link/qr.png',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetSharedLinkQrCode',
        tag: 'dashboard',
        summary: 'The QR code of the shared link',
        params: DashboardParams,
        file: 'image/png',
      }),
    },
    (request, reply) => sendQrCode(request, reply, context),
  );
}
