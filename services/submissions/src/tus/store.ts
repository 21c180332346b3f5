import { DataStore, ERRORS, Upload as TusUpload } from '@tus/server';
import type { Upload } from '../domain/uploads/upload.ts';
import { forgetEnded } from '../workflows/uploads/forget-ended.ts';
import { isDelivered, removeParts } from '../workflows/uploads/upload-bytes.ts';
import { noteChunk } from './collect-chunks.ts';
import { LOCKED, tusError } from './errors.ts';
import { type PartContext, PartWriter } from './part-writer.ts';
import { keyOf, writer, writerId } from './writer.ts';

/**
 * Takes bytes as immutable parts: each is stored whole before the offset moves in MongoDB, so that a byte that was
 * acknowledged is never lost. `@tus/server` carries the protocol.
 */
export class PartStore extends DataStore {
  private readonly context: PartContext;

  constructor(context: PartContext) {
    super();
    this.context = context;
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration'];
  }

  /** The hook `onUploadCreate` has stored it. */
  override async create(upload: TusUpload): Promise<TusUpload> {
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const { offset, length, lastByteAt } = await this.find(id);
    // The protocol's expiration counts from here: an upload is kept from its last byte on.
    return new TusUpload({ id, offset, size: length, creation_date: lastByteAt.toISOString() });
  }

  /** How long an upload is kept after its last byte, in milliseconds. */
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
    // Without the lease nothing is wrong with the length: the client tries again.
    throw upload?.length === undefined ? LOCKED : ERRORS.INVALID_LENGTH;
  }

  override async remove(id: string): Promise<void> {
    const { uploads, uploadChecksums, objects, backupHold } = this.context;
    const upload = await this.find(id);
    uploadChecksums.forget(id);
    // From its last byte on a take that was sent belongs to the owner: its parts may be its only copy.
    if (!(await uploads.markDeleted(keyOf(id))))
      throw tusError(410, 'This take was sent and can no longer be taken back.', 'answer_sent');
    // The sweeper removes them, once no backup is being made.
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
      // A connection that broke: what came before is kept, the client goes on from there.
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
