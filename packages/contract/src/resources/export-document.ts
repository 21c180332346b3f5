import Type, { type Static } from 'typebox';
import { dateTime, nullableRef, ref, resource, text } from './fields.ts';
import { RecipientLink, type RecipientLinkJson, SharedRecipientLink, type SharedRecipientLinkJson } from './link.ts';
import { ProjectDetail } from './project.ts';
import { Submission } from './submission.ts';

export const ExportDocument = Type.Object(
  {
    version: text('The version of this document, such as 1.0.0.'),
    exportedAt: dateTime('When the export was made.'),
    project: ref(ProjectDetail),
    links: Type.Unsafe<{ sharedLink: SharedRecipientLinkJson | null; recipientUrls: RecipientLinkJson[] } | null>({
      description: 'null if the token may not read links.',
      anyOf: [
        Type.Object(
          { sharedLink: nullableRef(SharedRecipientLink), recipientUrls: Type.Array(ref(RecipientLink)) },
          resource,
        ),
        { type: 'null' },
      ],
    }),
    terms: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Each accepted text of terms, by its hex SHA-256.',
    }),
    submissions: Type.Array(ref(Submission), {
      description:
        'Oldest first, like the rows of the CSV and the numbers in the ZIP: a clip keeps its place when others land.',
    }),
  },
  { $id: 'ExportDocument', ...resource },
);
export type ExportDocumentJson = Static<typeof ExportDocument>;
