import { uuidv7 } from '@recording-request/kit/ids';
import type { Part, UploadKey } from '../domain/uploads/upload.ts';
import type { Models } from './models.ts';
import { tracedNow, uploadAt } from './upload-row.ts';

/** Fields of the upload that are stored together with a part. */
export interface PartNotes {
  /** When the hold of the response was renewed. */
  renewedAt?: Date | undefined;
  /** True if the part completes the upload. */
  isLast?: boolean;
  /** True if the first bytes of the upload cannot begin a video. */
  isNoVideo?: boolean;
  mimeType?: string | undefined;
}

/**
 * The parts of uploads. An upload's document contains only the last parts, so the cost of a write does not depend on
 * the number of parts.
 */
export interface UploadParts {
  /**
   * Records a stored part. The last part ends the writer's lease. Returns false when the part does not begin at the
   * upload's offset, or another request has the lease.
   */
  append(key: UploadKey, writerId: string, part: Part, about?: PartNotes): Promise<boolean>;
  /** Yields the parts of an upload in order, page by page. Fails when a part between two others is missing. */
  partsOf(key: UploadKey): AsyncIterable<Part[]>;
  /** Deletes the pages of these uploads. */
  removePages(ids: string[]): Promise<void>;
}

/**
 * Returns the parts. Fails when a part is missing between two others, or when the first part does not begin at
 * `offset`.
 */
export function inOrder(parts: Part[], offset = 0): Part[] {
  let next = offset;
  for (const part of parts) {
    if (part.offset !== next) throw new Error(`an upload has no part at its byte ${next}`);
    next += part.size;
  }
  return parts;
}

const endOf = (parts: Part[]): number => parts.reduce((sum, { size }) => sum + size, 0);

/** The filter that selects an upload only if it has no pages. */
export const NEVER_PAGED = { isPaged: false } as const;

// The maximum number of parts in an upload's document, and in a page.
const PAGE_PARTS = 500;

export function createUploadParts({ uploads, partPages }: Models): UploadParts {
  /**
   * Moves the parts of the document into a page. Only the lease holder changes parts, so a writer that lost the lease
   * changes nothing.
   */
  async function turnPage(key: UploadKey, writerId: string): Promise<void> {
    const own = { ...uploadAt(key), state: 'uploading', 'writer.id': writerId };
    // Sets the flag before the page exists, so that a page whose id never gets into the upload is removed too.
    const row = await uploads.findOneAndUpdate(own, { $set: { isPaged: true } }, { projection: { parts: 1 } }).lean();
    const parts = row?.parts as Part[] | undefined;
    if (!parts?.[0]) return;
    const pageId = uuidv7();
    await partPages.create({ _id: pageId, uploadId: key.id, parts });
    // If the outcome of this write is unknown, the page stays. This is harmless, because no query reads a page whose id
    // is not in the upload.
    const { matchedCount } = await uploads.updateOne(
      { ...own, 'parts.0.key': parts[0].key },
      { $set: { parts: [] }, $push: { pages: pageId } },
    );
    if (matchedCount === 0) await partPages.deleteOne({ _id: pageId, uploadId: key.id });
  }
  return {
    async append(key, writerId, part, { isLast = false, isNoVideo = false, mimeType, renewedAt } = {}) {
      const row = (await uploads
        .findOneAndUpdate(
          { ...uploadAt(key), state: 'uploading', offset: part.offset, 'writer.id': writerId },
          {
            $inc: { offset: part.size },
            $push: { parts: part },
            $currentDate: { lastByteAt: true, ...(isLast ? { completeAt: true } : {}) },
            ...(isLast && { $unset: { writer: 1 } }),
            // Stores the trace now, because the sweeper may start the landing before the request does.
            $set: {
              ...(isLast && tracedNow()),
              ...(isNoVideo && { isNoVideo }),
              ...(mimeType && { mimeType }),
              ...(renewedAt && { renewedAt }),
            },
          },
          { returnDocument: 'after', projection: { count: { $size: '$parts' } } },
        )
        .lean()) as { count?: number } | null;
      if (!row) return false;
      if (!isLast && (row.count ?? 0) >= PAGE_PARTS) await turnPage(key, writerId);
      return true;
    },
    async *partsOf(key) {
      const row = await uploads.findOne(uploadAt(key), { parts: 1, pages: 1 }).lean();
      let offset = 0;
      for (const pageId of row?.pages ?? []) {
        const page = await partPages.findOne({ _id: pageId, uploadId: key.id }).lean();
        if (!page) throw new Error(`an upload has no part at its byte ${offset}`);
        yield inOrder(page.parts as Part[], offset);
        offset += endOf(page.parts as Part[]);
      }
      yield inOrder((row?.parts ?? []) as Part[], offset);
    },
    async removePages(ids) {
      await partPages.deleteMany({ uploadId: { $in: ids } });
    },
  };
}
