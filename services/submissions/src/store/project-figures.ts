import { createStampCache, type Stamp, type StampCache } from '@recording-request/kit/stamp-cache';
import type { Counts, TranscriptState } from '../domain/clips/submission.ts';
import type { Models } from './models.ts';
import { stampsOf } from './project-stamps.ts';

/** The total sizes of a project's videos, in bytes. */
export interface Sizes {
  bytes: number;
  selectedBytes: number;
}

/** The figures of project lists and dashboard polls, cached until the project changes. */
export interface ProjectFigures {
  count(ownerId: string, projectIds: string[]): Promise<Map<string, Counts>>;
  measure(ownerId: string, projectId: string): Promise<Sizes>;
}

const MEASURE_LIMIT_MS = 4_000;

export function createProjectFigures(submissions: Models['submissions']): ProjectFigures {
  const counts = createStampCache<Counts>();
  const sizes = createStampCache<Sizes>();
  return {
    async count(ownerId, projectIds) {
      const stamps = await stampsOf(submissions, ownerId, projectIds);
      const found = await ofOwner(counts, ownerId, stamps, ids => countAll(submissions, ownerId, ids));
      return new Map(projectIds.map(id => [id, found.get(id) ?? noCounts()]));
    },
    async measure(ownerId, projectId) {
      const stamps = await stampsOf(submissions, ownerId, [projectId]);
      const found = await ofOwner(sizes, ownerId, stamps, async () => {
        return new Map([[projectId, await sumSizes(submissions, ownerId, projectId)]]);
      });
      return found.get(projectId) ?? { bytes: 0, selectedBytes: 0 };
    },
  };
}

/**
 * Returns cached figures. Caches them per owner, because the stamp of a project with an erasure is the same for every
 * caller, but only the owner's figures include its clips.
 */
async function ofOwner<T>(
  cache: StampCache<T>,
  ownerId: string,
  stamps: ReadonlyMap<string, Stamp>,
  compute: (projectIds: string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<Map<string, T>> {
  const keyOf = (projectId: string) => `${ownerId} ${projectId}`;
  const idOf = (key: string) => key.slice(ownerId.length + 1);
  const owned = renamed(stamps, keyOf);
  const found = await cache.get([...owned.keys()], owned, async keys => renamed(await compute(keys.map(idOf)), keyOf));
  return renamed(found, idOf);
}

const renamed = <T>(values: ReadonlyMap<string, T>, nameOf: (name: string) => string): Map<string, T> =>
  new Map([...values].map(([name, value]) => [nameOf(name), value]));

const noCounts = (): Counts => ({ total: 0, selected: 0, byTranscript: {} });

async function countAll(
  submissions: Models['submissions'],
  ownerId: string,
  projectIds: string[],
): Promise<Map<string, Counts>> {
  const rows = await submissions.aggregate<{
    _id: { projectId: string; transcriptStatus: TranscriptState; selected: boolean };
    n: number;
  }>([
    { $match: { projectId: { $in: projectIds }, ownerId } },
    { $project: { _id: 0, projectId: 1, transcriptStatus: 1, selected: 1 } },
    {
      $group: {
        _id: { projectId: '$projectId', transcriptStatus: '$transcriptStatus', selected: '$selected' },
        n: { $sum: 1 },
      },
    },
  ]);
  const found = new Map(projectIds.map(id => [id, noCounts()]));
  for (const { _id, n } of rows) {
    const entry = found.get(_id.projectId)!;
    entry.total += n;
    if (_id.selected) entry.selected += n;
    entry.byTranscript[_id.transcriptStatus] = (entry.byTranscript[_id.transcriptStatus] ?? 0) + n;
  }
  return found;
}

async function sumSizes(submissions: Models['submissions'], ownerId: string, projectId: string): Promise<Sizes> {
  const size = { $ifNull: ['$video.size', { $ifNull: ['$source.size', 0] }] };
  const [row] = await submissions
    .aggregate<Sizes>([
      { $match: { projectId, ownerId } },
      // Projects only these fields, so that the query reads only the index.
      { $project: { _id: 0, selected: 1, 'video.size': 1, 'source.size': 1 } },
      {
        $group: {
          _id: null,
          bytes: { $sum: size },
          selectedBytes: { $sum: { $cond: ['$selected', size, 0] } },
        },
      },
    ])
    .option({ maxTimeMS: MEASURE_LIMIT_MS });
  return { bytes: row?.bytes ?? 0, selectedBytes: row?.selectedBytes ?? 0 };
}
