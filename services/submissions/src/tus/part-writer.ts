import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import { partKey } from '../domain/object-keys.ts';
import { mayBeVideo, mimeTypeOfFirst } from '../domain/uploads/first-bytes.ts';
import type { RunningChecksums } from '../domain/uploads/running-checksums.ts';
import type { Part, Upload } from '../domain/uploads/upload.ts';
import { LOCKED } from './errors.ts';
import { PartBuffer } from './part-buffer.ts';

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
 * Stores the bytes of one request as parts of at most `UPLOAD_PART_BYTES`. While a part is stored the next one is
 * collected, if there is memory for it; no more than these two are held. The last one is sent beside the one before it, and each counts after that one. What came is stored after
 * `UPLOAD_FLUSH_SECONDS` at the latest, so that a slow or silent writer holds little.
 */
export class PartWriter implements Disposable {
  /** Up to where every byte is stored and recorded. */
  offset: number;
  /** Up to where bytes are in parts that are sent to the store. */
  private sent: number;
  private filling: PartBuffer;
  private other: PartBuffer;
  private readonly timer: NodeJS.Timeout;
  /** One step after the other; after one that failed there is no other. */
  private last: Promise<void> = Promise.resolve();
  /** The part that is stored while the next one is collected: one at a time. */
  private storing: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private renewedAt: number;
  private renewing: Promise<void> | undefined;
  /** Of every byte up to the last that was collected, as far as this process knows what is before them. */
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
    // Its failure is that of the next step.
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

  /** Stores what there is, and gives back its memory. */
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
    // Of bytes that were not stored in the end nothing is kept.
    if (this.checksums?.bytes === this.offset) this.context.uploadChecksums.keep(this.upload.id, this.checksums);
    this.filling.abandon();
    this.other.abandon();
  }

  private afterLast(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step);
    return this.last;
  }

  /** The next part gets as much room as the one before, beside it; without memory for that, the same room after it. */
  private async makeRoom(): Promise<void> {
    if (this.filling.room > this.other.room || this.filling.reserve(this.other.room)) return;
    await this.storing;
    this.swap();
  }

  private beginStoring(): void {
    const full = this.filling;
    this.swap();
    this.storing = this.store(full).then(() => full.clear());
    // Its failure is that of the next step.
    this.storing.catch(() => {
      this.hasFailed = true;
    });
  }

  private swap(): void {
    [this.filling, this.other] = [this.other, this.filling];
  }

  /** `before`: the part before it, after which it counts. */
  private async store(buffer: PartBuffer, before?: Promise<void>): Promise<void> {
    if (buffer.length === 0) return await before;
    const { uploads, objects } = this.context;
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
      // Until its bytes are sent they take memory. What does not count may not stay, whatever the store answered: its upload may have been
      // erased meanwhile.
      await sending.catch(() => {});
      await this.removeUncounted(part);
      throw error;
    }
    const about = {
      isLast: part.offset + part.size === this.upload.length,
      ...first,
      ...(this.renewedAt > 0 && { renewedAt: new Date(this.renewedAt) }),
    };
    if (!(await uploads.append(this.upload, this.writerId, part, about))) {
      await this.removeUncounted(part);
      throw LOCKED;
    }
    this.offset += part.size;
  }

  /** What the store does not remove now goes with the upload’s others. */
  private async removeUncounted({ key }: Part): Promise<void> {
    const { objects, log } = this.context;
    const { id: uploadId, projectId } = this.upload;
    await objects.remove([key]).catch(error => {
      log.warn({ err: error, uploadId, projectId }, 'A part that does not count could not be removed yet');
    });
  }

  /** Keeps the response's use: before the first byte is acknowledged, and now and then after. */
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
