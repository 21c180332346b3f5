import { type Api, PAGE, Resource } from '../api.ts';
import type { Download } from '../download.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../transport.ts';
import type * as api from '../types.gen.ts';
import type { SubmissionsQuery, ThumbnailPosition, TranscriptFormat } from './clips.ts';

/** A project as its private dashboard token shows it: read-only, without the owner's token. */
export class Dashboard extends Resource {
  readonly #base: string;

  /** @internal */
  constructor(requests: Api, projectToken: string) {
    super(requests);
    this.#base = path`/project/${projectToken}`;
  }

  /** Returns the figures of the project. */
  overview(options?: CallOptions): Promise<api.DashboardOverview> {
    return this.api.get(`${this.#base}/overview`, options);
  }

  /** Returns the state of the webhook endpoint. */
  webhookEndpoint(options?: CallOptions): Promise<api.DashboardEndpoint> {
    return this.api.get(`${this.#base}/webhook-endpoint`, options);
  }

  /** Lists the links for one person. */
  links(query?: api.DashboardListLinksData['query'], options?: CallOptions) {
    const itemsOf = (body: api.DashboardLinks) => body.recipientUrls;
    return this.api.list(`${this.#base}/links`, { limit: PAGE, ...query }, itemsOf, options);
  }

  /** Lists the clips, newest first. */
  submissions(query?: SubmissionsQuery, options?: CallOptions) {
    const itemsOf = (body: api.SubmissionsPage) => body.submissions;
    return this.api.list(`${this.#base}/submissions`, { limit: PAGE, ...query }, itemsOf, options);
  }

  /** Returns one clip. */
  submission(submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.api.get(this.#clip(submissionId), options);
  }

  /** Returns the rating and the timed notes of a clip. */
  review(submissionId: string, options?: CallOptions): Promise<api.SubmissionReview> {
    return this.api.get(`${this.#clip(submissionId)}/review`, options);
  }

  /** The video with its true media type. */
  video(submissionId: string, options?: CallOptions): Download {
    return this.api.file(`${this.#clip(submissionId)}/video`, options);
  }

  /** The sound of a clip; 404 if it has none, or none yet. */
  audio(submissionId: string, options?: CallOptions): Download {
    return this.api.file(`${this.#clip(submissionId)}/audio`, options);
  }

  /** A picture of the clip, as JPEG. */
  thumbnail(submissionId: string, position: ThumbnailPosition, options?: CallOptions): Download {
    return this.api.file(`${this.#clip(submissionId)}${path`/thumbnail-${position}`}`, options);
  }

  /** The transcript of a clip. */
  transcript(submissionId: string, format: TranscriptFormat, options?: CallOptions): Download {
    return this.api.file(`${this.#clip(submissionId)}${path`/transcript.${format}`}`, options);
  }

  /** The settings, links and submissions. */
  exportJson(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export.json`, options);
  }

  /** A table of the submissions. */
  exportCsv(query?: api.DashboardExportCsvData['query'], options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export.csv`, options, query);
  }

  /** An archive with everything. It can be resumed for a day. */
  exportZip(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export/project.zip`, options);
  }

  /** An archive of the selected clips. */
  exportSelected(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export/selected.zip`, options);
  }

  /** All transcripts as one text. */
  exportTranscripts(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export/transcripts.txt`, options);
  }

  /** The transcripts as files. */
  exportTranscriptsZip(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/export/transcripts.zip`, options);
  }

  /** The QR code of the shared link, as PNG. */
  qrCode(options?: CallOptions): Download {
    return this.api.file(`${this.#base}/shared-link/qr.png`, options);
  }

  #clip(submissionId: string): string {
    return `${this.#base}${path`/submissions/${submissionId}`}`;
  }
}
