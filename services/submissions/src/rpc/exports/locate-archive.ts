import type {
  ArchivePiece,
  LocateArchiveRequest,
  LocateArchiveResponse,
} from '@recording-request/proto/exports/v1/exports';
import type { Context } from '../../context.ts';
import { locateArchive } from '../../workflows/exports/locate-archive.ts';

const PIECES_AT_MOST = 100;

export const locateArchiveFor =
  (context: Pick<Context, 'archives' | 'config' | 'exportRows' | 'objects'>) =>
  async (request: LocateArchiveRequest): Promise<LocateArchiveResponse> => {
    const { ownerId, projectId, archiveId: id, offset } = request;
    const count = Math.min(request.maxPieces, PIECES_AT_MOST);
    const located = await locateArchive(context, { ownerId, projectId, id }, offset, count);
    const pieces: ArchivePiece[] = [];
    for (const piece of located) {
      if ('content' in piece) {
        pieces.push({ source: { $case: 'content', value: piece.content } });
      } else {
        const { key, cipherKey = '', offset: start, length } = piece;
        const url = await context.objects.presignGet(key, context.config.presignSeconds);
        pieces.push({
          source: {
            $case: 'object',
            value: { url, offset: start, length, cipherKey: Buffer.from(cipherKey, 'base64url') },
          },
        });
      }
    }
    return { pieces };
  };
