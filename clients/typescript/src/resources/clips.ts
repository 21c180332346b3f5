import { Download } from '../download.ts';
import { List } from '../pages.ts';
import { type CallOptions, path, type Transport } from '../transport.ts';
import type * as api from '../types.gen.ts';
import type { Confirm } from './projects.ts';

const PAGE = 100;

/** The filters and the page size of a list of clips. */
export type SubmissionsQuery = NonNullable<api.ListSubmissionsData['query']>;
/** Plain text, WebVTT or SubRip. */
export type TranscriptFormat = 'txt' | 'vtt' | 'srt';
/** The time in the clip that a thumbnail shows. */
export type ThumbnailPosition = 'start' | 'middle' | 'end';

/** Where clips are read: as the owner of a project, or with a dashboard token. */
export interface Place {
  transport: Transport;
  /** The path before `/submissions` and `/export`. */
  base: string;
  /** Whether the path is the permission, so that no owner token is sent. */
  anonymous: boolean;
}

export function listOf({ transport, base, anonymous }: Place, query: SubmissionsQuery = {}, options: CallOptions = {}) {
  const paged = { limit: PAGE, ...query };
  const itemsOf = (body: api.SubmissionsPage) => body.submissions;
  return new List(transport, `${base}/submissions`, paged, itemsOf, { ...options, anonymous });
}

export const clipOf = (place: Place, submissionId: string, options?: CallOptions): Promise<api.Submission> =>
  place.transport.json({ path: pathOf(place, submissionId), anonymous: place.anonymous }, options);

/** Returns a file of a clip: `video`, `audio`, `thumbnail-…` or `transcript.…`. */
export function fileOf(place: Place, submissionId: string, name: string, options?: CallOptions): Download {
  const call = { path: `${pathOf(place, submissionId)}/${name}`, anonymous: place.anonymous };
  return new Download(place.transport, call, options);
}

export function exportOf(place: Place, name: string, query: object = {}, options?: CallOptions): Download {
  return new Download(place.transport, { path: `${place.base}/${name}`, query, anonymous: place.anonymous }, options);
}

const pathOf = ({ base }: Place, submissionId: string): string => `${base}${path`/submissions/${submissionId}`}`;

/** Recorded clips, their transcripts and media. */
export class Submissions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the clips of a project, newest first. */
  list(projectId: string, query?: SubmissionsQuery, options?: CallOptions) {
    return listOf(this.#place(projectId), query, options);
  }

  /** Returns one clip. */
  get(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return clipOf(this.#place(projectId), submissionId, options);
  }

  /** Selects a clip, or writes its review note. */
  update(
    projectId: string,
    submissionId: string,
    body: api.UpdateSubmissionData['body'],
    options?: CallOptions,
  ): Promise<api.Submission> {
    const call = { method: 'PATCH', path: pathOf(this.#place(projectId), submissionId), json: body } as const;
    return this.#transport.json(call, options);
  }

  /** The video: as uploaded at first, then the seekable copy. */
  video(projectId: string, submissionId: string, options?: CallOptions): Download {
    return fileOf(this.#place(projectId), submissionId, 'video', options);
  }

  /** The sound of a clip; 404 if it has none, or none yet. */
  audio(projectId: string, submissionId: string, options?: CallOptions): Download {
    return fileOf(this.#place(projectId), submissionId, 'audio', options);
  }

  /** A picture of the clip, as JPEG. */
  thumbnail(projectId: string, submissionId: string, position: ThumbnailPosition, options?: CallOptions): Download {
    return fileOf(this.#place(projectId), submissionId, `thumbnail-${position}`, options);
  }

  /** The transcript of a clip. */
  transcript(projectId: string, submissionId: string, format: TranscriptFormat, options?: CallOptions): Download {
    return fileOf(this.#place(projectId), submissionId, `transcript.${format}`, options);
  }

  /** Requests a failed transcript again. */
  requestTranscript(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.#post(projectId, submissionId, 'transcript', undefined, options);
  }

  /** Requests failed media again. */
  requestMedia(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.#post(projectId, submissionId, 'media', undefined, options);
  }

  /** Erases a clip for good. Without `confirm`, nothing is erased: the answer counts the data and has `confirm`. */
  erase(projectId: string, submissionId: string, body: Confirm = {}, options?: CallOptions): Promise<api.Erasure> {
    return this.#post(projectId, submissionId, 'erase', body, options);
  }

  #post<T>(projectId: string, submissionId: string, action: string, json?: object, options?: CallOptions): Promise<T> {
    const address = `${pathOf(this.#place(projectId), submissionId)}/${action}`;
    return this.#transport.json({ method: 'POST', path: address, json }, options);
  }

  #place(projectId: string): Place {
    return { transport: this.#transport, base: path`/api/projects/${projectId}`, anonymous: false };
  }
}

/** Whole projects as files. */
export class Exports {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The settings, links and submissions; `download.json<ExportDocument>()` reads them. */
  json(projectId: string, query?: api.ExportJsonData['query'], options?: CallOptions): Download {
    return exportOf(this.#place(projectId), 'export.json', query, options);
  }

  /** A table of the submissions. */
  csv(projectId: string, query?: api.ExportCsvData['query'], options?: CallOptions): Download {
    return exportOf(this.#place(projectId), 'export.csv', query, options);
  }

  /** An archive with everything. It can be resumed for a day. */
  zip(projectId: string, query?: api.ExportZipData['query'], options?: CallOptions): Download {
    return exportOf(this.#place(projectId), 'export/project.zip', query, options);
  }

  /** All transcripts as one text. */
  transcripts(projectId: string, query?: api.ExportTranscriptsData['query'], options?: CallOptions): Download {
    return exportOf(this.#place(projectId), 'export/transcripts.txt', query, options);
  }

  /** The transcripts as files. */
  transcriptsZip(projectId: string, query?: api.ExportTranscriptsZipData['query'], options?: CallOptions): Download {
    return exportOf(this.#place(projectId), 'export/transcripts.zip', query, options);
  }

  #place(projectId: string): Place {
    return { transport: this.#transport, base: path`/api/projects/${projectId}`, anonymous: false };
  }
}
