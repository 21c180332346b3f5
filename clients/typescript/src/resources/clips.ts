import { PAGE, Resource } from '../api.ts';
import type { Download } from '../download.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../transport.ts';
import type * as api from '../types.gen.ts';
import type { Confirm } from './projects.ts';

/** The filters and the page size of a list of clips. */
export type SubmissionsQuery = NonNullable<api.ListSubmissionsData['query']>;
/** Plain text, WebVTT or SubRip. */
export type TranscriptFormat = 'txt' | 'vtt' | 'srt';
/** The time in the clip that a thumbnail shows. */
export type ThumbnailPosition = 'start' | 'middle' | 'end';

/** Recorded clips, their transcripts and media. */
export class Submissions extends Resource {
  /** Lists the clips of a project, newest first. */
  list(projectId: string, query?: SubmissionsQuery, options?: CallOptions) {
    const itemsOf = (body: api.SubmissionsPage) => body.submissions;
    return this.api.list(path`/api/projects/${projectId}/submissions`, { limit: PAGE, ...query }, itemsOf, options);
  }

  /** Returns one clip. */
  get(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.api.get(clip(projectId, submissionId), options);
  }

  /** Selects a clip, or writes its review note. */
  update(
    projectId: string,
    submissionId: string,
    body: api.UpdateSubmissionData['body'],
    options?: CallOptions,
  ): Promise<api.Submission> {
    return this.api.patch(clip(projectId, submissionId), body, options);
  }

  /** Returns the rating and the timed notes of a clip. */
  review(projectId: string, submissionId: string, options?: CallOptions): Promise<api.SubmissionReview> {
    return this.api.get(`${clip(projectId, submissionId)}/review`, options);
  }

  /** Rates a clip, or removes its rating. */
  rate(
    projectId: string,
    submissionId: string,
    body: api.RateSubmissionData['body'],
    options?: CallOptions,
  ): Promise<api.SubmissionReview> {
    return this.api.put(`${clip(projectId, submissionId)}/review`, body, options);
  }

  /** Writes a note at a time of the clip. Chooses an `id` if the note has none, so that a retry adds no second note. */
  addNote(
    projectId: string,
    submissionId: string,
    body: api.AddNoteData['body'],
    options?: CallOptions,
  ): Promise<api.SubmissionReview> {
    const note = { ...body, id: body.id ?? crypto.randomUUID() };
    return this.api.post(`${clip(projectId, submissionId)}/notes`, note, options);
  }

  /** Removes a note. An unknown note changes nothing. */
  removeNote(
    projectId: string,
    submissionId: string,
    noteId: string,
    options?: CallOptions,
  ): Promise<api.SubmissionReview> {
    return this.api.delete(`${clip(projectId, submissionId)}${path`/notes/${noteId}`}`, options);
  }

  /** The video: as uploaded at first, then the seekable copy. */
  video(projectId: string, submissionId: string, options?: CallOptions): Download {
    return this.api.file(`${clip(projectId, submissionId)}/video`, options);
  }

  /** The sound of a clip; 404 if it has none, or none yet. */
  audio(projectId: string, submissionId: string, options?: CallOptions): Download {
    return this.api.file(`${clip(projectId, submissionId)}/audio`, options);
  }

  /** A picture of the clip, as JPEG. */
  thumbnail(projectId: string, submissionId: string, position: ThumbnailPosition, options?: CallOptions): Download {
    return this.api.file(`${clip(projectId, submissionId)}${path`/thumbnail-${position}`}`, options);
  }

  /** The transcript of a clip. */
  transcript(projectId: string, submissionId: string, format: TranscriptFormat, options?: CallOptions): Download {
    return this.api.file(`${clip(projectId, submissionId)}${path`/transcript.${format}`}`, options);
  }

  /** Requests a failed transcript again. */
  requestTranscript(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.api.post(`${clip(projectId, submissionId)}/transcript`, undefined, options);
  }

  /** Requests failed media again. */
  requestMedia(projectId: string, submissionId: string, options?: CallOptions): Promise<api.Submission> {
    return this.api.post(`${clip(projectId, submissionId)}/media`, undefined, options);
  }

  /** Erases a clip for good. Without `confirm`, nothing is erased: the answer counts the data and has `confirm`. */
  erase(projectId: string, submissionId: string, body: Confirm = {}, options?: CallOptions): Promise<api.Erasure> {
    return this.api.post(`${clip(projectId, submissionId)}/erase`, body, options);
  }
}

const clip = (projectId: string, submissionId: string) => path`/api/projects/${projectId}/submissions/${submissionId}`;

/** Whole projects as files. */
export class Exports extends Resource {
  /** The settings, links and submissions; `download.json<ExportDocument>()` reads them. */
  json(projectId: string, query?: api.ExportJsonData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/export.json`, options, query);
  }

  /** A table of the submissions. */
  csv(projectId: string, query?: api.ExportCsvData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/export.csv`, options, query);
  }

  /** An archive with everything. It can be resumed for a day. */
  zip(projectId: string, query?: api.ExportZipData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/export/project.zip`, options, query);
  }

  /** All transcripts as one text. */
  transcripts(projectId: string, query?: api.ExportTranscriptsData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/export/transcripts.txt`, options, query);
  }

  /** The transcripts as files. */
  transcriptsZip(projectId: string, query?: api.ExportTranscriptsZipData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/export/transcripts.zip`, options, query);
  }
}
