import type { Readable } from 'node:stream';
import { DomainError } from '@recording-request/kit/errors';
import type { Objects } from '@recording-request/kit/objects';
import { DataStore, ERRORS, Upload as TusUpload } from '@tus/server';
import { type Part, partKey, type Upload } from '../domain/upload.ts';
import type { UploadStore } from '../store/uploads.ts';
import { LOCKED, type WriterLocker } from './tus-locker.ts';

export interface TusStoreOptions {
  uploads: UploadStore;
  objects: Objects;
  /** The most that a request holds in memory, in bytes: what one part has. */
  partBytes: number;
  /** How long an upload is kept after its last byte. */
  holdMs: number;
  writers: Pick<WriterLocker, 'writerOf' | 'created'>;
  /** Keeps the response's use; called before the first byte is acknowledged and now and then after. */
  renewHold(upload: Upload): Promise<void>;
  /** Rejects where the project was erased while the upload was created. */
  inserted(upload: Upload): Promise<void>;
  holdRenewMs: number;
}

/**
 * Takes bytes as immutable parts: each is stored whole before the offset moves in MongoDB, so that a byte that was
 * acknowledged is never lost. `@tus/server` carries the protocol.
 */
export class PartStore extends DataStore {
  private readonly options: TusStoreOptions;
  /** What `create` needs beyond the protocol, put here by the hook that checked the request. */
  readonly admitted = new WeakMap<TusUpload, Upload>();

  constructor(options: TusStoreOptions) {
    super();
    this.options = options;
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration'];
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    const record = this.admitted.get(upload);
    if (!record) throw new Error('an upload was created without being admitted');
    await this.options.uploads.insert({ ...record, length: upload.size });
    await this.options.inserted(record);
    await this.options.writers.created(upload.id);
    upload.creation_date = record.createdAt.toISOString();
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const upload = await this.options.uploads.find(id);
    if (!upload || upload.state === 'deleted') throw ERRORS.FILE_NOT_FOUND;
    return new TusUpload({
      id,
      offset: upload.offset,
      size: upload.length,
      // The protocol's expiration counts from here: an upload is kept from its last byte on.
      creation_date: upload.lastByteAt.toISOString(),
    });
  }

  override getExpiration(): number {
    return this.options.holdMs;
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    if (await this.options.uploads.declareLength(id, this.options.writers.writerOf(id), length)) return;
    const upload = await this.options.uploads.find(id);
    // Without the lease nothing is wrong with the length: the client tries again.
    throw upload?.length === undefined ? LOCKED : ERRORS.INVALID_LENGTH;
  }

  override async remove(id: string): Promise<void> {
    const upload = await this.options.uploads.find(id);
    if (!upload || upload.state === 'deleted') throw ERRORS.FILE_NOT_FOUND;
    // From its last byte on a take that was sent belongs to the owner: its parts may be its only copy.
    if (!(await this.options.uploads.markDeleted(id)))
      throw asTusError(410, 'This take was sent and can no longer be taken back.');
    await this.options.objects.remove(upload.parts.map(part => part.key));
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const upload = await this.options.uploads.find(id);
    if (!upload) throw ERRORS.FILE_NOT_FOUND;
    const parts = new PartWriter(upload, offset, this.options);
    try {
      for await (const chunk of stream) await parts.add(chunk as Buffer);
    } catch (error) {
      // A connection that broke: what came before is kept, the client goes on from there.
      await parts.flush();
      throw error;
    }
    await parts.flush();
    return parts.offset;
  }
}

class PartWriter {
  offset: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private renewedAt: number;
  private readonly upload: Upload;
  private readonly options: TusStoreOptions;

  constructor(upload: Upload, offset: number, options: TusStoreOptions) {
    this.upload = upload;
    this.offset = offset;
    this.options = options;
    this.renewedAt = upload.renewedAt?.getTime() ?? 0;
  }

  async add(chunk: Buffer): Promise<void> {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes >= this.options.partBytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.pendingBytes === 0) return;
    const body = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    const { uploads, objects, writers } = this.options;
    const { id } = this.upload;
    const writerId = writers.writerOf(id);
    const part: Part = { key: partKey(id, this.offset, writerId), offset: this.offset, size: body.length };
    await this.renewHold();
    await objects.put(part.key, body, { contentType: 'application/octet-stream' });
    if (!(await uploads.append(id, writerId, part))) {
      await objects.remove([part.key]);
      throw LOCKED;
    }
    this.offset += body.length;
  }

  private async renewHold(): Promise<void> {
    if (Date.now() - this.renewedAt < this.options.holdRenewMs) return;
    await this.options.renewHold(this.upload);
    this.renewedAt = Date.now();
    await this.options.uploads.renewed(this.upload.id);
  }
}

/** What a tus handler throws, for an error of ours. */
export const asTusError = (status: number, message: string) => ({ status_code: status, body: message });

/** Whether an error came from the protocol's own code. */
export const isTusError = (error: unknown): error is { status_code: number; body: string } =>
  !(error instanceof DomainError) && typeof (error as { status_code?: unknown } | null)?.status_code === 'number';
