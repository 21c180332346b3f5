import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import { partKey } from '../domain/object-keys.ts';
import { mayBeVideo, mimeTypeOfFirst } from '../domain/uploads/first-bytes.ts';
import type { RunningChecksums } from '../domain/uploads/running-checksums.ts';
import type { Part, Upload } from '../domain/uploads/upload.ts';
import type { PartNotes } from '../store/upload-parts.ts';
import { LOCKED } from './errors.ts';
import { PartBuffer } from './part-buffer.ts';
import { writer } from './writer.ts';

export type PartContext = Pick<
  Context,
  | 'config'
  | 'log'
  | 'uploads'
  | 'submissions'
  | 'objects'
  | 'projects'
  | 'uploadMemory'
  | 'uploadChecksums'
  | 'backupHold'
>;

/**
 * Stores the bytes of one request as parts of at most `UPLOAD_PART_BYTES`. While it stores one part, it collects the
 * next part if there is memory for it; at most two parts are in memory. It sends the last part in parallel with the
 * part before it, but records parts in order. It stores bytes after at most `UPLOAD_FLUSH_SECONDS`, so that a slow or
 * silent client uses little memory.
 */
export class PartWriter implements Disposable {
  /** All bytes before this offset are stored and recorded. */
  offset: number;
  /** All bytes before this offset are in parts that were sent to the store. */
  private sent: number;
  private filling: PartBuffer;
  private other: PartBuffer;
  private readonly timer: NodeJS.Timeout;
  /** The last step of the queue. Steps run one after the other; after a failed step no other step runs. */
  private last: Promise<void> = Promise.resolve();
  /** The storing of the previous part, while the next part is collected. Only one runs at a time. */
  private storing: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private renewedAt: number;
  private renewing: Promise<void> | undefined;
  /**
   * The checksums of all collected bytes; undefined when this process does not have the checksums of the earlier bytes.
   */
  private readonly checksums: RunningChecksums | undefined;
  private readonly context: PartContext;
  private readonly upload: Upload;
  private readonly writerId: string;

  constructor(context: PartContext, upload: Upload, writerId: string, offset: number) {
    this.context = context;
    this.upload = upload;
    this.writerId = writerId;
    this.offset = offset;
    this.sent = offset;
    this.renewedAt = upload.renewedAt?.getTime() ?? 0;
    const { uploadMemory, uploadChecksums, config } = context;
    this.checksums = uploadChecksums.take(upload.id, offset);
    const memory = uploadMemory.of(upload.ownerId);
    this.filling = new PartBuffer(memory, config.uploadPartBytes);
    this.other = new PartBuffer(memory, config.uploadPartBytes, 0);
    // The next step of the queue reports this failure.
    const flush = () => void this.flush().catch(() => {});
    this.timer = setInterval(flush, config.uploadFlushSeconds * 1_000);
  }

  add(chunk: Buffer): Promise<void> {
    return this.afterLast(async () => {
      if (this.hasFailed) await this.storing;
      for (let at = 0; at < chunk.length; ) {
        if (this.filling.length === 0) await this.makeRoom();
        const bytes = this.filling.add(chunk.subarray(at));
        this.checksums?.add(chunk.subarray(at, at + bytes));
        at += bytes;
        if (at === chunk.length && !this.filling.isFull) return;
        await this.storing;
        this.beginStoring();
      }
    });
  }

  /** Stores the collected bytes and releases their memory. */
  flush(): Promise<void> {
    return this.afterLast(async () => {
      if (this.hasFailed) await this.storing;
      await this.store(this.filling, this.storing);
      this.filling.shrink();
      this.other.shrink();
      if (this.filling.room < this.other.room) this.swap();
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
    // The checksums include bytes that were not stored, so they are dropped.
    if (this.checksums?.bytes === this.offset) this.context.uploadChecksums.keep(this.upload.id, this.checksums);
    this.filling.abandon();
    this.other.abandon();
  }

  private afterLast(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step);
    return this.last;
  }

  /**
   * Reserves as much room for the next part as the previous part has. If there is no memory for two parts, waits and
   * reuses the room of the previous part.
   */
  private async makeRoom(): Promise<void> {
    if (this.filling.room > this.other.room || this.filling.reserve(this.other.room)) return;
    await this.storing;
    this.swap();
  }

  private beginStoring(): void {
    const full = this.filling;
    this.swap();
    this.storing = this.store(full).then(() => full.clear());
    // The next step of the queue reports this failure.
    this.storing.catch(() => {
      this.hasFailed = true;
    });
  }

  private swap(): void {
    [this.filling, this.other] = [this.other, this.filling];
  }

  /** `before`: the storing of the previous part, which must be recorded before this part. */
  private async store(buffer: PartBuffer, before?: Promise<void>): Promise<void> {
    if (buffer.length === 0) return await before;
    const { objects } = this.context;
    const { id } = this.upload;
    const body = buffer.view();
    const first = this.sent === 0 && { isNoVideo: !mayBeVideo(body), mimeType: mimeTypeOfFirst(body) };
    const part: Part = { key: partKey(id, this.sent, uuidv7()), offset: this.sent, size: body.length };
    this.sent += part.size;
    const sending = objects.put(part.key, body, { contentType: 'application/octet-stream' });
    const isReady = Promise.all([sending, this.renewHold()]);
    isReady.catch(() => {});
    try {
      await before;
      await isReady;
    } catch (error) {
      // The bytes stay in memory until the send ends. The part is not recorded, so it is removed even if the store
      // reported an error: the store may have it, and an erasure of the upload may have missed it.
      await sending.catch(() => {});
      await this.removeUncounted(part);
      throw error;
    }
    const about = {
      isLast: part.offset + part.size === this.upload.length,
      ...first,
      ...(this.renewedAt > 0 && { renewedAt: new Date(this.renewedAt) }),
    };
    if (!(await this.append(part, about))) {
      await this.removeUncounted(part);
      throw LOCKED;
    }
    this.offset += part.size;
  }

  /** Records a part. The record of the last part ends the lease, which must not be renewed or released afterwards. */
  private async append(part: Part, about: PartNotes): Promise<boolean> {
    if (!about.isLast) return await this.context.uploads.append(this.upload, this.writerId, part, about);
    const request = writer();
    request.isReleased = true;
    try {
      request.isReleased = await this.context.uploads.append(this.upload, this.writerId, part, about);
    } catch (error) {
      request.isReleased = false;
      throw error;
    }
    return request.isReleased;
  }

  /**
   * Removes a part that was not recorded. If that fails, the part is removed later with the other parts of its upload.
   */
  private async removeUncounted({ key }: Part): Promise<void> {
    const { objects, log } = this.context;
    const { id: uploadId, projectId } = this.upload;
    await objects.remove([key]).catch(error => {
      log.warn(
        { err: error, uploadId, projectId },
        'An unrecorded part could not be removed; it is removed with its upload',
      );
    });
  }

  /** Renews the hold of the response: before the first byte is acknowledged, and then every HOLD_RENEW_SECONDS. */
  private async renewHold(): Promise<void> {
    if (Date.now() - this.renewedAt < this.context.config.holdRenewSeconds * 1_000) return;
    this.renewing ??= this.renew().finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
  }

  private async renew(): Promise<void> {
    const { projects } = this.context;
    await projects.renewResponse({ linkId: this.upload.linkId, responseSessionId: this.upload.responseId });
    this.renewedAt = Date.now();
  }
}
