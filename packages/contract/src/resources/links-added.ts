import Type, { type Static } from 'typebox';
import { count, nullableFormat, nullableText, ref, resource, text, uuid } from './fields.ts';
import { CreatedRecipientLink } from './link.ts';

/** The longest list of invalid rows in an answer. */
export const INVALID_ROWS_SHOWN = 1_000;

const line = Type.Integer({
  minimum: 1,
  description:
    'In a CSV file, the line of the file on which the row begins, from 1; the header is one of them. In JSON, the position in `links`, from 1.',
});

export const DuplicateRow = Type.Object(
  {
    line,
    tokenId: nullableFormat('uuid', 'The link of the same person; null: an earlier row has the same person.'),
  },
  { $id: 'DuplicateRow', ...resource },
);
export type DuplicateRowJson = Static<typeof DuplicateRow>;

export const InvalidRow = Type.Object(
  {
    line,
    field: nullableText('The field or column; null: the row as a whole.'),
    reason: text('What the field must be.'),
  },
  { $id: 'InvalidRow', ...resource },
);
export type InvalidRowJson = Static<typeof InvalidRow>;

export const LinksAdded = Type.Object(
  {
    projectId: uuid('The project.'),
    created: count('How many links were made.'),
    skipped: Type.Array(ref(DuplicateRow), { description: 'The duplicates, with onDuplicate `skip`.' }),
    links: Type.Array(ref(CreatedRecipientLink), { description: 'The new links, in the order of the rows.' }),
  },
  { $id: 'LinksAdded', ...resource },
);
export type LinksAddedJson = Static<typeof LinksAdded>;

export const LinksChecked = Type.Object(
  {
    valid: count('How many rows have no fault. Duplicates are among them.'),
    invalid: Type.Array(ref(InvalidRow), {
      description: `The faults, at most one for each field of a row, and at most ${INVALID_ROWS_SHOWN} in all.`,
    }),
    duplicates: Type.Array(ref(DuplicateRow), { description: 'The valid rows whose person has a link already.' }),
    allowanceAfter: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'The allowance that would remain if the valid rows without the duplicates became links. Negative: so many videos are missing, and a real run is 403 allowance_exceeded. null: no limit.',
    }),
  },
  { $id: 'LinksChecked', description: 'The answer with dryRun: nothing was created.', ...resource },
);
export type LinksCheckedJson = Static<typeof LinksChecked>;
