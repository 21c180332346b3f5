import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../../context.ts';
import { partKey } from '../../domain/object-keys.ts';
import type { Part, Upload } from '../../domain/upload.ts';
import { LOCKED } from './errors.ts';
import { PartBuffer } from './part-buffer.ts';

export type PartContext = Pick<Context, 'config' | 'uploads' | 'objects' | 'projects' | 'uploadMemory'>;

/**
 * Stores the bytes of one request as parts of at most `UPLOAD_PART_BYTES`; no more than that is held in memory. What came
 * is stored after `UPLOAD_FLUSH_SECONDS` at the latest, so that a slow or silent writer holds little.
 */
export class PartWriter implements Disposable {
  /** Up to where every byte is stored and recorded. */
  offset: number;
  private readonly buffer: PartBuffer;
  private readonly timer: NodeJS.Timeout;
  /** One step after the other; after one that failed there is no other. */
  private last: Promise<void> = Promise.resolve();
  private renewedAt: number;
  private readonly context: PartContext;
  private readonly upload: Upload;
  private readonly writerId: string;

  constructor(context: PartContext, upload: Upload, writerId: string, offset: number) {
    this.context = context;
    this.upload = upload;
    this.writerId = writerId;
    this.offset = offset;
    this.renewedAt = upload.renewedAt?.getTime() ?? 0;
    this.buffer = new PartBuffer(context.uploadMemory, context.config.uploadPartBytes);
    // Its failure is that of the next step.
    const flush = () => void this.flush().catch(() => {});
    this.timer = setInterval(flush, context.config.uploadFlushSeconds * 1_000);
  }

  add(chunk: Buffer): Promise<void> {
    return this.afterLast(async () => {
      for (let at = 0; at < chunk.length; ) {
        at += this.buffer.add(chunk.subarray(at));
        if (at === chunk.length && !this.buffer.isFull) return;
        await this.store();
        this.buffer.clear();
      }
    });
  }

  /** Stores what there is, and gives back its memory. */
  flush(): Promise<void> {
    return this.afterLast(async () => {
      await this.store();
      this.buffer.shrink();
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
    this.buffer.abandon();
  }

  private afterLast(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step);
    return this.last;
  }

  private async store(): Promise<void> {
    if (this.buffer.length === 0) return;
    const { uploads, objects } = this.context;
    const { id } = this.upload;
    const body = this.buffer.view();
    const part: Part = { key: partKey(id, this.offset, uuidv7()), offset: this.offset, size: body.length };
    await this.renewHold();
    await objects.put(part.key, body, { contentType: 'application/octet-stream' });
    const isLast = part.offset + part.size === this.upload.length;
    if (!(await uploads.append(id, this.writerId, part, isLast))) {
      await objects.remove([part.key]);
      throw LOCKED;
    }
    this.offset += part.size;
  }

  /** Keeps the response's use: before the first byte is acknowledged, and now and then after. */
  private async renewHold(): Promise<void> {
    const { config, uploads, projects } = this.context;
    if (Date.now() - this.renewedAt < config.holdRenewSeconds * 1_000) return;
    await projects.renewResponse({ linkId: this.upload.linkId, responseSessionId: this.upload.responseId });
    this.renewedAt = Date.now();
    await uploads.renewed(this.upload.id);
  }
}
