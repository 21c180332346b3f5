import type { Download } from '../download.ts';
import { List } from '../pages.ts';
import { type CallOptions, path, type Transport } from '../transport.ts';
import type * as api from '../types.gen.ts';
import {
  clipOf,
  exportOf,
  fileOf,
  listOf,
  type Place,
  type SubmissionsQuery,
  type ThumbnailPosition,
  type TranscriptFormat,
} from './clips.ts';

const PAGE = 100;

/** A project as its private dashboard token shows it: read-only, without the owner's token. */
export class Dashboard {
  readonly #place: Place;

  /** @internal */
  constructor(transport: Transport, projectToken: string) {
    this.#place = { transport, base: path`/project/${projectToken}`, anonymous: true };
  }

  /** Returns the figures of the project. */
  overview(options?: CallOptions): Promise<api.DashboardOverview> {
    return this.#get('overview', options);
  }

  /** Returns whether the webhook endpoint accepts events. */
  webhookEndpoint(options?: CallOptions): Promise<api.DashboardEndpoint> {
    return this.#get('webhook-endpoint', options);
  }

  /** Lists the links for one person. */
  links(query: NonNullable<api.DashboardListLinksData['query']> = {}, options: CallOptions = {}) {
    const { transport, base, anonymous } = this.#place;
    const itemsOf = (body: api.DashboardLinks) => body.recipientUrls;
    return new List(transport, `${base}/links`, { limit: PAGE, ...query }, itemsOf, { ...options, anonymous });
  }

  /** Lists the clips, newest first. */
  submissions(query?: SubmissionsQuery, options?: CallOptions) {
    return listOf(this.#place, query, options);
  }

  /** Returns one clip. */
  submission(submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return clipOf(this.#place, submissionId, options);
  }

  /** The video with its true media type. */
  video(submissionId: string, options?: CallOptions): Download {
    return fileOf(this.#place, submissionId, 'video', options);
  }

  /** The sound of a clip; 404 if it has none, or none yet. */
  audio(submissionId: string, options?: CallOptions): Download {
    return fileOf(this.#place, submissionId, 'audio', options);
  }

  /** A picture of the clip, as JPEG. */
  thumbnail(submissionId: string, position: ThumbnailPosition, options?: CallOptions): Download {
    return fileOf(this.#place, submissionId, `thumbnail-${position}`, options);
  }

  /** The transcript of a clip. */
  transcript(submissionId: string, format: TranscriptFormat, options?: CallOptions): Download {
    return fileOf(this.#place, submissionId, `transcript.${format}`, options);
  }

  /** The settings, links and submissions. */
  exportJson(options?: CallOptions): Download {
    return exportOf(this.#place, 'export.json', {}, options);
  }

  /** A table of the submissions. */
  exportCsv(query?: api.DashboardExportCsvData['query'], options?: CallOptions): Download {
    return exportOf(this.#place, 'export.csv', query, options);
  }

  /** An archive with everything. It can be resumed for a day. */
  exportZip(options?: CallOptions): Download {
    return exportOf(this.#place, 'export/project.zip', {}, options);
  }

  /** An archive of the selected clips. */
  exportSelected(options?: CallOptions): Download {
    return exportOf(this.#place, 'export/selected.zip', {}, options);
  }

  /** All transcripts as one text. */
  exportTranscripts(options?: CallOptions): Download {
    return exportOf(this.#place, 'export/transcripts.txt', {}, options);
  }

  /** The transcripts as files. */
  exportTranscriptsZip(options?: CallOptions): Download {
    return exportOf(this.#place, 'export/transcripts.zip', {}, options);
  }

  /** The QR code of the shared link, as PNG. */
  qrCode(options?: CallOptions): Download {
    return exportOf(this.#place, 'shared-link/qr.png', {}, options);
  }

  #get<T>(name: string, options?: CallOptions): Promise<T> {
    const { transport, base, anonymous } = this.#place;
    return transport.json({ path: `${base}/${name}`, anonymous }, options);
  }
}
