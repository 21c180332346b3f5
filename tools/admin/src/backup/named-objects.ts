import { mongo } from 'mongoose';
import type { StoredCollection } from './manifest.ts';
import type { NamedObject, Place } from './place.ts';
import { documentsOf, readCompressed } from './streams.ts';

interface Stored {
  key: string;
  size?: number;
  sha256?: string;
}

interface UploadRow {
  _id: string;
  state: string;
  refusal?: string;
  projectId: string;
  submissionId?: string;
  sha256?: string;
  offset: number;
  parts?: Stored[];
  pages?: string[];
  isPaged?: boolean;
}

interface SubmissionRow {
  _id: string;
  erasedAt?: Date;
  source?: Stored & { parts?: Stored[] };
  video?: Stored;
  audio?: Stored;
  thumbnails?: Stored[];
}

const named = ({ key, size, sha256 }: Stored, optional = false): NamedObject => ({ key, size, sha256, optional });

/**
 * Returns the objects that the records in a backup need: the objects of clips, and of takes that are landing. Applies
 * to a past moment the same rule as the submissions service applies to the present for `check`
 * (services/submissions/src/store/stored-objects.ts). Its memory use depends on the number of takes that are landing or
 * have very many parts.
 */
export async function* namedObjects(place: Place, collections: StoredCollection[]): AsyncGenerator<NamedObject> {
  const rowsOf = <T>(name: string) => rows<T>(place, collections, name);
  /** The objects of each landing upload, by the id of its future submission. */
  const landing = new Map<string, NamedObject[]>();
  /** By the id of each page of parts: true if the upload no longer needs the parts. */
  const pages = new Map<string, boolean>();
  for await (const row of rowsOf<UploadRow>('uploads')) {
    const isFailed = row.state === 'refused' && row.refusal === 'failed';
    if (!['uploading', 'finishing'].includes(row.state) && !isFailed) continue;
    const parts = (row.parts ?? []).map(part => named(part));
    // The service joins the parts of a very long upload into one object.
    const isWhole = row.isPaged === true && row.sha256 !== undefined && row.submissionId !== undefined;
    const whole = {
      key: `submissions/${row.projectId}/${row.submissionId}/source`,
      ...{ size: row.offset, sha256: row.sha256, optional: false },
    };
    if (isWhole) for (const part of parts) yield { ...part, optional: true };
    if (row.submissionId !== undefined) landing.set(row.submissionId, isWhole ? [whole] : parts);
    else yield* parts;
    for (const page of row.pages ?? []) pages.set(page, isWhole);
  }
  if (pages.size > 0)
    for await (const { _id, parts } of rowsOf<{ _id: string; parts: Stored[] }>('upload_parts'))
      for (const part of pages.has(_id) ? parts : []) yield named(part, pages.get(_id));
  for await (const row of rowsOf<SubmissionRow>('submissions')) {
    // The take has landed, so the record of its submission names the bytes.
    landing.delete(row._id);
    if (row.erasedAt) continue;
    const { source, video, audio, thumbnails = [] } = row;
    // Omits the upload of a clip with a separate video, because the service may remove it at any moment.
    const objects = [video?.key ? undefined : source, video, audio, ...thumbnails];
    for (const object of objects) if (object?.key) for (const part of partsOf(object)) yield named(part);
  }
  for (const objects of landing.values()) yield* objects;
}

const partsOf = (object: Stored & { parts?: Stored[] }): Stored[] => object.parts ?? [object];

async function* rows<T>(place: Place, collections: StoredCollection[], name: string): AsyncGenerator<T> {
  const found = collections.find(each => each.name === name);
  if (!found) return;
  for await (const bytes of documentsOf(readCompressed(place, found.file.path)))
    yield mongo.BSON.deserialize(bytes) as T;
}
