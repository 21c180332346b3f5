import Type, { type Static } from 'typebox';
import { count, nullableFormat, nullableInteger, nullableText, oneOf, resource, uuid } from './fields.ts';

export const ERASURE_STATES = ['proposed', 'erasing', 'erased'] as const;

const counts = Type.Object(
  {
    submissions: count('Submissions with their transcripts and review notes.'),
    uploads: count('Uploads, sent or not.'),
    notes: count('Notes that contributors sent apart from their clip.'),
    objects: nullableInteger('Stored files; null in a proposal for a project, because counting them takes long.'),
    objectBytes: count('The size of these files; in a proposal for a project, of its videos.'),
    links: count('Recording links that go, or the link that is closed for good; 0 for a submission, whose link stays.'),
    people: count('Links that lose their recipient or metadata.'),
    references: count('References that responses on the shared link stated. Those of a project count as responses.'),
    responses: count('Responses with their state; 0 for a submission, whose response stays.'),
    rememberedAnswers: count('Stored answers to requests with an `Idempotency-Key`.'),
    videosReleased: count('Unused videos that return to the allowance.'),
    webhookBodies: count('Bodies in the ledger of webhooks.'),
    undelivered: count('How many of these bodies were not delivered yet: they are never sent.'),
    events: count('Events of the feed that lose their data.'),
  },
  resource,
);
export type ErasureCountsJson = Static<typeof counts>;

export const Erasure = Type.Object(
  {
    projectId: uuid('The project.'),
    submissionId: nullableFormat('uuid', 'The submission; null for a link and for the whole project.'),
    tokenId: nullableFormat('uuid', 'The link; null for a submission and for the whole project.'),
    state: oneOf(ERASURE_STATES, 'proposed: nothing was erased. erasing: the rest follows by itself. erased: done.'),
    counts: Type.Unsafe<ErasureCountsJson>({
      ...counts,
      description: 'In a proposal, the data that would be erased; otherwise the data that was erased so far.',
    }),
    confirm: nullableText('In the answer to a POST without `confirm`: send it within ten minutes to erase the data.'),
    confirmExpiresAt: nullableFormat('date-time', 'When `confirm` expires.'),
    begunAt: nullableFormat('date-time', 'When the erasure began; null in a proposal.'),
    erasedAt: nullableFormat('date-time', 'When the data was gone from every store but Kafka; null before.'),
    left: nullableInteger(
      'The proof: how many records, files, bodies and events a new count of the stores finds, made for this answer. Null before `erased`.',
    ),
    recordsEndAt: nullableFormat(
      'date-time',
      'When Kafka deletes its last record of the data; null before `erased`, and if the operator keeps records forever.',
    ),
  },
  { $id: 'Erasure', ...resource },
);
export type ErasureJson = Static<typeof Erasure>;
