import { DataStore, ERRORS, Upload as TusUpload } from '@tus/server';
import type { Upload } from '../domain/uploads/upload.ts';
import { forgetEnded } from '../workflows/uploads/forget-ended.ts';
import { isDelivered, removeParts } from '../workflows/uploads/upload-bytes.ts';
import { noteChunk } from './collect-chunks.ts';
import { LOCKED, tusError } from './errors.ts';
import { type PartContext, PartWriter } from './part-writer.ts';
import { keyOf, writer, writerId } from './writer.ts';

/**
 * Stores bytes as immutable parts. The whole part is stored before the offset increases in MongoDB, so that an
 * acknowledged byte is never lost. `@tus/server` implements the protocol.
 */
export class PartStore extends DataStore {
  private readonly context: PartContext;

  constructor(context: PartContext) {
    super();
    this.context = context;
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration'];
  }

  /** Does nothing, because the hook `onUploadCreate` has already stored the upload. */
  override async create(upload: TusUpload): Promise<TusUpload> {
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const { offset, length, lastByteAt } = await this.find(id);
    // The library computes the expiration from this date, so this is the date of the last byte.
    return new TusUpload({ id, offset, size: length, creation_date: lastByteAt.toISOString() });
  }

  /** Returns how long an upload is kept after its last byte, in milliseconds. */
  override getExpiration(): number {
    return this.context.config.uploadHoldSeconds * 1_000;
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    const { uploads } = this.context;
    if (await uploads.declareLength(keyOf(id), writerId(), length)) {
      writer().upload = undefined;
      return;
    }
    const upload = await uploads.find(keyOf(id));
    // The lease was lost, but the length may be right, so the client retries.
    throw upload?.length === undefined ? LOCKED : ERRORS.INVALID_LENGTH;
  }

  override async remove(id: string): Promise<void> {
    const { uploads, uploadChecksums, objects, backupHold } = this.context;
    const upload = await this.find(id);
    uploadChecksums.forget(id);
    // Refuses to delete a complete take: it belongs to the owner, and its parts may be the only copy.
    if (!(await uploads.markDeleted(keyOf(id))))
      throw tusError(410, 'This take was sent and can no longer be taken back.', 'answer_sent');
    // While a backup runs, the parts stay; the sweeper removes them later.
    if (!(await backupHold.isHeld()) && !(await isDelivered(this.context, upload))) await removeParts(objects, upload);
    await forgetEnded(this.context, upload);
  }

  override async write(bytes: AsyncIterable<unknown>, id: string, offset: number): Promise<number> {
    const upload = await this.find(id);
    writer().upload = undefined;
    using parts = new PartWriter(this.context, upload, writerId(), offset);
    try {
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        await parts.add(chunk);
        noteChunk(chunk.length);
      }
    } catch (error) {
      // The connection broke. The received bytes are kept, and the client resumes after them.
      await parts.flush();
      throw error;
    }
    await parts.flush();
    return parts.offset;
  }

  private async find(id: string): Promise<Upload> {
    const known = writer().upload;
    const upload = known?.id === id ? known : await this.context.uploads.find(keyOf(id));
    if (!upload || upload.state === 'deleted') throw ERRORS.FILE_NOT_FOUND;
    return upload;
  }
}
