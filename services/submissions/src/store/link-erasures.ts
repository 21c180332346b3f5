import {
  type Erasable,
  type ErasedProject,
  FIELDS,
  fromProjectRow,
  fromRow,
  type LinkOfProject,
  type ProjectRow,
  type Row,
} from './erasable.ts';
import { type Models, RESPONSE_INDEX } from './models.ts';
import { notesOfLink } from './notes.ts';

/** The records of the erasures of unique links. */
export interface LinkErasures {
  /** Returns the erasure of the project of a clip, or of its link. */
  erasureOf(which: LinkOfProject): Promise<ErasedProject | undefined>;
  /** Returns submissions of a link that were not erased. */
  ofLink(link: LinkOfProject & { ownerId: string }, limit: number): Promise<Erasable[]>;
  countOfLink(
    link: LinkOfProject & { ownerId: string },
  ): Promise<{ submissions: number; uploads: number; notes: number }>;
  /** Returns the submissions whose erasure began but did not end. */
  unfinished(projectId: string, submissionIds: string[]): Promise<Erasable[]>;
  /** Returns whether the link has submissions or uploads that are not erased. */
  hasRestOfLink(link: LinkOfProject & { ownerId: string }): Promise<boolean>;
  /** Adds submissions to the record of a link's erasure, because their tombstones do not name the link. */
  addSubmissions(linkId: string, submissionIds: string[]): Promise<void>;
}

export function linksPart({ submissions, uploads, notes, erasures }: Models): LinkErasures {
  const inLink = ({ projectId, ownerId, linkId }: LinkOfProject & { ownerId: string }) => ({
    ...{ projectId, ownerId, linkId },
  });
  const uploadsOf = ({ projectId, linkId }: LinkOfProject) => ({ projectId, linkId, emptied: null });
  return {
    async erasureOf({ projectId, linkId }) {
      return fromProjectRow(
        (await erasures.findOne({ _id: { $in: [projectId, linkId] } }).lean()) as ProjectRow | null,
      );
    },
    async ofLink(link, limit) {
      const rows = (await submissions.find(inLink(link), FIELDS).limit(limit).lean()) as Row[];
      return rows.map(fromRow);
    },
    async countOfLink(link) {
      const [landed, begun, written] = await Promise.all([
        submissions.countDocuments(inLink(link)),
        uploads.countDocuments(uploadsOf(link)).hint(RESPONSE_INDEX),
        notes.countDocuments(notesOfLink(link)),
      ]);
      return { submissions: landed, uploads: begun, notes: written };
    },
    async unfinished(projectId, submissionIds) {
      if (submissionIds.length === 0) return [];
      const query = { _id: { $in: submissionIds }, projectId, left: { $ne: null } };
      return ((await submissions.find(query, FIELDS).lean()) as Row[]).map(fromRow);
    },
    async hasRestOfLink(link) {
      const some = [
        submissions.exists(inLink(link)),
        uploads.findOne(uploadsOf(link), { _id: 1 }, { hint: RESPONSE_INDEX }).lean(),
      ];
      return (await Promise.all(some)).some(Boolean);
    },
    async addSubmissions(linkId, submissionIds) {
      if (submissionIds.length > 0)
        await erasures.updateOne({ _id: linkId }, { $addToSet: { submissionIds: { $each: submissionIds } } });
    },
  };
}
