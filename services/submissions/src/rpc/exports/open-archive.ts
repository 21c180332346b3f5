import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { OpenArchiveRequest, OpenArchiveResponse } from '@recording-request/proto/exports/v1/exports';
import { type ArchiveContext, openArchive } from '../../workflows/exports/open-archive.ts';

export const openArchiveFor =
  (context: ArchiveContext) =>
  async (request: OpenArchiveRequest, { signal }: CallContext): Promise<OpenArchiveResponse> => {
    const { id: archiveId, etag, size, mayDiffer } = await openArchive(context, request, signal);
    return { archiveId, etag, size, mayDiffer };
  };
