import { partsOf as objectsIn, type Source, type StoredObject, type StoredPart } from '../domain/clips/submission.ts';
import { archivePartsKey } from '../domain/exports/archive.ts';
import { sourceKey } from '../domain/object-keys.ts';
import { isTranscript, type ObjectOwner } from '../domain/object-owner.ts';
import type { Part } from '../domain/uploads/upload.ts';
import { createBackupHold } from './backup-hold.ts';
import type { Models } from './models.ts';
import { createUploadParts } from './upload-parts.ts';

/** Bytes that a record names: one object, or the parts under the prefix `key`. */
export interface ExpectedObject {
  key: string;
  size: number;
  /** Hex; absent when none is stored. */
  sha256?: string | undefined;
  parts?: StoredPart[] | undefined;
}

export interface ExpectedPage {
  objects: ExpectedObject[];
  /** The prefix of the objects, and the range of their keys; undefined if the caller must look up each object. */
  range: { prefix: string; after: string; to: string } | undefined;
  /** The start of the next page; undefined after the last page. */
  next: string | undefined;
}

/** The objects that should exist according to this service's records. */
export interface StoredObjects {
  /** Returns the objects of one project's live submissions, in the order of the submissions' ids. */
  ofSubmissions(after: string, limit: number): Promise<ExpectedPage>;
  /** Returns the parts of the next upload that is still stored in parts. */
  ofUpload(after: string): Promise<ExpectedPage>;
  ofArchives(after: string, limit: number): Promise<ExpectedPage>;
  /** Returns the keys that a record names now, and the keys of a record's unfinished work. */
  named(keys: { key: string; owner: ObjectOwner }[]): Promise<Set<string>>;
}

type SubmissionRow = { _id: string; projectId: string; erasedAt?: Date | null } & Partial<
  Record<'video' | 'audio', StoredObject>
> & { source?: Source; thumbnails?: StoredObject[] };

const OBJECTS = { projectId: 1, erasedAt: 1, source: 1, video: 1, audio: 1, thumbnails: 1 } as const;
const OPEN_UPLOAD = { $or: [{ state: { $in: ['uploading', 'finishing'] } }, { state: 'refused', refusal: 'failed' }] };
/** Uploads without a clip. If such an upload has ended, the sweeper removes its remaining bytes. */
const UNLANDED = ['uploading', 'finishing', 'refused', 'deleted'];
const READABLE = { endedAt: null, readyAt: { $ne: null }, $expr: { $gt: ['$expiresAt', '$$NOW'] } };
/** A key that sorts after every key of this service under a prefix. */
const END = '~';

export function createStoredObjects(models: Models): StoredObjects {
  const { submissions, uploads, archives } = models;
  const uploadParts = createUploadParts(models);
  const { keptOf } = createBackupHold(models);

  /** Returns the next project and its owner. Skips tombstones, because they have no owner. */
  async function nextProject(projectId: string) {
    return await submissions
      .findOne({ projectId: { $gt: projectId }, ownerId: { $gt: '' } }, { projectId: 1, ownerId: 1 })
      .sort({ projectId: 1, ownerId: 1 })
      .lean<{ projectId: string; ownerId: string }>();
  }

  async function liveSubmissions(ids: string[]): Promise<Map<string, SubmissionRow>> {
    const rows = await submissions.find({ _id: { $in: ids } }, OBJECTS).lean<SubmissionRow[]>();
    return new Map(rows.filter(({ erasedAt }) => !erasedAt).map(row => [row._id, row]));
  }

  /**
   * Returns the source keys of clips whose uploads are landing, can be landed by the operator, or wait for the sweeper.
   */
  async function uploadedSources(submissionIds: string[]): Promise<Set<string>> {
    const found = await uploads
      .find({ state: { $in: UNLANDED }, submissionId: { $in: submissionIds } }, { projectId: 1, submissionId: 1 })
      .lean<{ projectId: string; submissionId: string }[]>();
    return new Set(found.map(row => sourceKey(row.projectId, row.submissionId)));
  }

  /** Returns the keys, among the parts of these uploads, that are now bytes of clips. */
  async function partsOfClips(uploadIds: string[]): Promise<Set<string>> {
    const landed = await uploads
      .find({ _id: { $in: uploadIds }, state: 'landed' }, { submissionId: 1 })
      .lean<{ submissionId: string }[]>();
    const clips = await liveSubmissions(landed.map(row => row.submissionId));
    return new Set([...clips.values()].flatMap(({ source }) => source?.parts ?? []).map(({ key }) => key));
  }

  return {
    async ofSubmissions(after, limit) {
      const [projectAfter = '', ownerAfter = '', idAfter = ''] = after.split('/');
      const at = idAfter === '' ? await nextProject(projectAfter) : { projectId: projectAfter, ownerId: ownerAfter };
      if (!at) return { objects: [], range: undefined, next: undefined };
      const { projectId, ownerId } = at;
      const rows = await submissions
        .find({ projectId, ownerId, _id: { $gt: idAfter } }, OBJECTS)
        .sort({ _id: 1 })
        .limit(limit)
        .lean<SubmissionRow[]>();
      const last = rows.length < limit ? undefined : rows.at(-1)!._id;
      const prefix = `submissions/${projectId}/`;
      const range = {
        prefix,
        after: idAfter && `${prefix}${idAfter}/${END}`,
        to: `${prefix}${last ?? ''}${last ? '/' : ''}${END}`,
      };
      return { objects: rows.flatMap(expectedOf), range, next: last ? `${projectId}/${ownerId}/${last}` : projectId };
    },
    async ofUpload(after) {
      // Sorts by id, so that all calls together read each row only once.
      const open = await uploads
        .findOne({ _id: { $gt: after }, ...OPEN_UPLOAD }, { projectId: 1 })
        .sort({ _id: 1 })
        .hint({ _id: 1 })
        .lean<{ _id: string; projectId: string }>();
      if (!open) return { objects: [], range: undefined, next: undefined };
      const objects: Part[] = [];
      for await (const parts of uploadParts.partsOf({ id: open._id, projectId: open.projectId }))
        objects.push(...parts);
      const prefix = `uploads/${open._id}/`;
      return { objects, range: { prefix, after: '', to: `${prefix}${END}` }, next: open._id };
    },
    async ofArchives(after, limit) {
      const rows = await archives
        .find({ ...READABLE, _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      const objects = rows.map(({ _id, projectId, texts, size, directoryAt }) => {
        const sizes = (texts ?? []) as { size: number }[];
        const ofTexts = sizes.reduce((sum, text) => sum + text.size, 0);
        return { key: archivePartsKey({ projectId, id: String(_id) }), size: ofTexts + size! - directoryAt! };
      });
      return { objects, range: undefined, next: rows.length < limit ? undefined : String(rows.at(-1)!._id) };
    },
    async named(keys) {
      const idsOf = (kind: ObjectOwner['kind']) => [
        ...new Set(keys.filter(({ owner }) => owner.kind === kind).map(({ owner }) => owner.id)),
      ];
      const rows = await liveSubmissions(idsOf('submission'));
      const landing = idsOf('submission').filter(id => !rows.has(id));
      const toLand = new Set(landing.length > 0 ? await uploadedSources(landing) : []);
      // Looks again, because a clip that landed between the two queries is in neither result.
      const late = landing.length > 0 ? await liveSubmissions(landing) : [];
      for (const [id, row] of late) rows.set(id, row);
      const withParts = { $or: [{ state: { $in: UNLANDED } }, { partsDueAt: { $ne: null } }] };
      const open = await uploads.find({ _id: { $in: idsOf('upload') }, ...withParts }, { _id: 1 }).lean();
      const ended = await keptOf(idsOf('upload'));
      // Runs after the query for open uploads, so that it finds an upload that landed in between.
      const clipParts = await partsOfClips(idsOf('upload'));
      const kept = await archives.find({ _id: { $in: idsOf('archive') } }, { _id: 1 }).lean();
      const whole = new Set([...ended, ...[...open, ...kept].map(({ _id }) => String(_id))]);
      const named = keys.filter(({ key, owner }) => {
        if (owner.kind !== 'submission') return whole.has(owner.id) || clipParts.has(key);
        const row = rows.get(owner.id);
        if (!row) return toLand.has(key);
        return (
          isTranscript(key) ||
          objectsOf(row)
            .flatMap(objectsIn)
            .some(object => object.key === key)
        );
      });
      return new Set(named.map(({ key }) => key));
    },
  };
}

const objectsOf = ({ source, video, audio, thumbnails = [] }: SubmissionRow): ExpectedObject[] =>
  [source, video, audio, ...thumbnails].filter(object => object?.key !== undefined) as ExpectedObject[];

/**
 * Returns the objects that must exist. Omits the upload of a clip with a video, because the service may remove it at
 * any moment.
 */
const expectedOf = (row: SubmissionRow): ExpectedObject[] =>
  objectsOf(row.video?.key === undefined ? row : { ...row, source: undefined as never });
