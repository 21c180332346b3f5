import type { Static } from 'typebox';
import Type from 'typebox';
import { projectPath } from '../rest.ts';
import { id, input, integer, list, oneOf, optional, output, string, text, tool, untrusted } from '../tool.ts';
import { shown } from '../untrusted.ts';
import { confirmField, inTwoCalls, outcomeFields } from '../write.ts';

const PEOPLE_MAX = 50;
const FAULTS_MAX = 20;

const args = input({
  projectId: id(),
  people: list(
    input({
      name: optional(text(200)),
      reference: optional(text(200, 'Your key for the person')),
      email: optional(text(320, 'No mail is sent')),
      locale: optional(text(100)),
      dueAt: optional(text(40, 'Deadline, RFC 3339')),
      metadata: optional(Type.Record(Type.String(), Type.String(), { description: 'Your texts by name' })),
    }),
    { minItems: 1, maxItems: PEOPLE_MAX },
  ),
  onDuplicate: optional(oneOf(['error', 'skip'])),
  ...confirmField,
});

export const invite = tool({
  name: 'invite',
  title: 'Invite people',
  scope: 'projects:write',
  description: `Makes one recording link for each of up to ${PEOPLE_MAX} people. It sends nothing: give each url to its person. The first call is a dry run that checks the rows.`,
  writes: true,
  input: args,
  output: output({
    ...outcomeFields,
    valid: integer,
    faults: list(output({ row: integer, field: string, reason: string })),
    duplicates: list(output({ row: integer, tokenId: string })),
    remainingVideos: integer,
    links: list(output({ tokenId: string, url: string, untrusted })),
  }),
  run: (input: Static<typeof args>, call) => {
    const { projectId, people, onDuplicate = 'error' } = input;
    const path = projectPath(projectId, 'links');
    const body = { links: people, onDuplicate };
    return inTwoCalls<typeof input, Invited>(call, 'invite', input, {
      async check() {
        const checked = await call.rest.post(path, body, { query: { dryRun: true } });
        const { valid, invalid, duplicates, allowanceAfter } = checked as Checked;
        const result: Invited = {
          valid,
          faults: invalid
            .slice(0, FAULTS_MAX)
            .map(({ line, field, reason }) => ({ row: line, field: plainName(field), reason })),
          duplicates: duplicates.slice(0, PEOPLE_MAX).map(({ line, tokenId }) => ({ row: line, tokenId })),
          remainingVideos: allowanceAfter,
          links: [],
        };
        const fault = faultOf(checked, onDuplicate);
        return { ...(fault !== undefined && { fault }), result };
      },
      async write(idempotencyKey) {
        const { created, skipped, links } = (await call.rest.post(path, body, { idempotencyKey })) as Added;
        return {
          valid: created,
          faults: [],
          duplicates: skipped.map(({ line, tokenId }) => ({ row: line, tokenId })),
          remainingVideos: null,
          links: links.map(({ tokenId, recipientUrl, recipient }) => ({
            tokenId,
            url: recipientUrl,
            untrusted: { name: shown(recipient?.name, 200), reference: shown(recipient?.reference, 200) },
          })),
        };
      },
    });
  },
});

interface Invited {
  valid: number;
  faults: { row: number; field: string | null; reason: string }[];
  duplicates: { row: number; tokenId: string | null }[];
  remainingVideos: number | null;
  links: { tokenId: string; url: string; untrusted: object }[];
}
interface Duplicate {
  line: number;
  tokenId: string | null;
}
interface Checked {
  valid: number;
  invalid: { line: number; field: string | null; reason: string }[];
  duplicates: Duplicate[];
  allowanceAfter: number | null;
}
interface Added {
  created: number;
  skipped: Duplicate[];
  links: {
    tokenId: string;
    recipientUrl: string;
    recipient: { name: string | null; reference: string | null } | null;
  }[];
}

/** Returns the beginning of a field's name, without the key of a metadata field, which may be any text. */
const plainName = (field: string | null): string | null => /^[A-Za-z]+/.exec(field ?? '')?.[0] ?? null;

function faultOf({ valid, invalid, duplicates, allowanceAfter }: Checked, onDuplicate: string): string | undefined {
  if (invalid.length > 0) return 'Correct the rows in faults.';
  if (duplicates.length > 0 && onDuplicate === 'error')
    return 'Leave out the rows in duplicates, or set onDuplicate to skip.';
  if (valid === duplicates.length) return 'Everybody has a link already.';
  if (allowanceAfter !== null && allowanceAfter < 0) return 'The allowance is too small for so many people.';
  return undefined;
}
