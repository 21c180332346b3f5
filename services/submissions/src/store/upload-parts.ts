import { uuidv7 } from '@recording-request/kit/ids';
import type { Part, UploadKey } from '../domain/uploads/upload.ts';
import type { Models } from './models.ts';
import { tracedNow, uploadAt } from './upload-row.ts';

/** Facts about the upload that come with a part. */
export interface PartNotes {
  /** When the hold of its response was renewed. */
  renewedAt?: Date | undefined;
  /** Whether the part completes the upload. */
  isLast?: boolean;
  /** Of the first bytes: whether they are those of no video, and their media type. */
  isNoVideo?: boolean;
  mimeType?: string | undefined;
}

/** The parts of uploads. However many there are, the upload's own document holds the last few: a write costs the same. */
export interface UploadParts {
  /**
   * Records a stored part. Returns false when the offset is not where the part begins, or another request writes.
   */
  append(key: UploadKey, writerId: string, part: Part, about?: PartNotes): Promise<boolean>;
  /** The parts of an upload in order, some at a time. Fails where one is missing between two others. */
  partsOf(key: UploadKey): AsyncIterable<Part[]>;
  /** Forgets those that are not in the upload's own document. */
  removePages(ids: string[]): Promise<void>;
}

/** Fails where a part is missing between two others; the first begins at the byte `offset`. */
export function inOrder(parts: Part[], offset = 0): Part[] {
  let next = offset;
  for (const part of parts) {
    if (part.offset !== next) throw new Error(`an upload has no part at its byte ${next}`);
    next += part.size;
  }
  return parts;
}

const endOf = (parts: Part[]): number => parts.reduce((sum, { size }) => sum + size, 0);

/** The filter of an upload of which there is no page. */
export const NEVER_PAGED = { isPaged: false } as const;

// The document of an upload has at most so many parts, and so has a page.
const PAGE_PARTS = 500;

export function createUploadParts({ uploads, partPages }: Models): UploadParts {
  /** Only the writer that holds the lease changes the parts. One that lost it meanwhile changes nothing. */
  async function turnPage(key: UploadKey, writerId: string): Promise<void> {
    const own = { ...uploadAt(key), state: 'uploading', 'writer.id': writerId };
    // Before there is a page: one without an id in the upload has to be removed as well.
    const row = await uploads.findOneAndUpdate(own, { $set: { isPaged: true } }, { projection: { parts: 1 } }).lean();
    const parts = row?.parts as Part[] | undefined;
    if (!parts?.[0]) return;
    const pageId = uuidv7();
    await partPages.create({ _id: pageId, uploadId: key.id, parts });
    // Where this has no known outcome the page stays: without an id in the upload it is not read.
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
            // Here already: the sweeper may begin its landing before the request does.
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
      if ((row.count ?? 0) >= PAGE_PARTS) await turnPage(key, writerId);
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
