import { DomainError } from '@recording-request/kit/errors';
import type {
  ListTroubledUploadsRequest,
  ListTroubledUploadsResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import type { UploadPlace } from '../../store/uploads.ts';
import { makeTimeCursor, openTimeCursor } from './time-cursor.ts';
import { toTroubledUpload } from './troubled-upload-message.ts';

const PAGE = { default: 100, max: 1_000 };

export const listTroubledUploads =
  ({ config, uploads }: Pick<Context, 'config' | 'uploads'>) =>
  async ({ pageSize, cursor, failedOnly }: ListTroubledUploadsRequest): Promise<ListTroubledUploadsResponse> => {
    if (pageSize > PAGE.max) throw new DomainError('invalid', `page_size must be at most ${PAGE.max}.`);
    const size = pageSize || PAGE.default;
    // The additional row shows whether another page follows.
    const rows = await uploads.troubled(size + 1, failedOnly, cursor === '' ? undefined : placeOf(cursor));
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      uploads: page.map(upload => toTroubledUpload(upload, config.uploadHoldSeconds)),
      nextCursor: last && rows.length > size ? makeTimeCursor({ at: last.lastByteAt, id: last.id }) : '',
    };
  };

function placeOf(cursor: string): UploadPlace {
  const { at, id } = openTimeCursor(cursor);
  return { lastByteAt: at, id };
}
