import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../../context.ts';
import { partKey } from '../../domain/object-keys.ts';
import type { Part, Upload } from '../../domain/upload.ts';
import { LOCKED } from './errors.ts';

export type PartContext = Pick<Context, 'config' | 'uploads' | 'objects' | 'projects'>;

/** Stores the bytes of one request as parts of at most `UPLOAD_PART_BYTES`; no more than that is held in memory. */
export class PartWriter {
  /** Up to where every byte is stored and recorded. */
  offset: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
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
  }

  async add(chunk: Buffer): Promise<void> {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes >= this.context.config.uploadPartBytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.pendingBytes === 0) return;
    const body = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    const { uploads, objects } = this.context;
    const { id } = this.upload;
    const part: Part = { key: partKey(id, this.offset, uuidv7()), offset: this.offset, size: body.length };
    await this.renewHold();
    await objects.put(part.key, body, { contentType: 'application/octet-stream' });
    if (!(await uploads.append(id, this.writerId, part))) {
      await objects.remove([part.key]);
      throw LOCKED;
    }
    this.offset += body.length;
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
