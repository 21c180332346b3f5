import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ReportArchiveRequest, ReportArchiveResponse } from '@recording-request/proto/exports/v1/exports';
import type { Context } from '../../context.ts';
import { reportArchive } from '../../workflows/exports/locate-archive.ts';

export const reportArchiveFor =
  (context: Pick<Context, 'archives' | 'config' | 'exportRows' | 'exportObjects'>) =>
  async (request: ReportArchiveRequest, { signal }: CallContext): Promise<ReportArchiveResponse> => {
    const { ownerId, projectId, archiveId: id, offset } = request;
    await reportArchive(context, { ownerId, projectId, id }, offset, signal);
    return {};
  };
