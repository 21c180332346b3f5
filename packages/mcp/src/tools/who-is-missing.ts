import type { Static } from 'typebox';
import { emailOf, personOf } from '../person.ts';
import { projectPath, type Rest, ToolError } from '../rest.ts';
import { flag, id, input, integer, list, oneOf, optional, output, paging, string, tool, untrusted } from '../tool.ts';

const STATES = ['invited', 'opened', 'recording', 'closed'] as const;
/** The states of people who can still answer. */
const MISSING = STATES.slice(0, 3);
const USUAL = 25;

const args = input({
  projectId: id(),
  state: optional(
    oneOf(STATES, 'Default: the first three. closed: sent nothing, and the link accepts nothing any more'),
  ),
  ...paging(50, USUAL),
});

export const whoIsMissing = tool({
  name: 'who_is_missing',
  title: 'Who is missing',
  scope: 'links:read',
  description:
    'The people of a project who have not sent everything: invited (nothing yet), opened, recording (has begun).',
  input: args,
  output: output({
    people: list(
      output({
        tokenId: string,
        state: string,
        url: string,
        dueAt: string,
        openedAt: string,
        answersSent: integer,
        questionCount: integer,
        remindersSent: integer,
        remindersStopped: flag(),
        untrusted,
      }),
    ),
    nextCursor: string,
  }),
  run: ({ projectId, state, limit = USUAL, cursor }: Static<typeof args>, { rest }) =>
    missing(rest, projectId, state === undefined ? MISSING : [state], { limit, cursor }),
});

/** Reads the states one after the other. The cursor names the state, and the cursor of the REST API within it. */
async function missing(
  rest: Rest,
  projectId: string,
  states: readonly string[],
  page: { limit: number; cursor?: string },
) {
  const { limit, cursor } = page;
  const [, startState, startCursor = ''] = cursor === undefined ? [] : (/^([a-z]+):(.*)$/s.exec(cursor) ?? []);
  const start = cursor === undefined ? 0 : states.indexOf(startState ?? '');
  if (start < 0) throw new ToolError('cursor must be the nextCursor of the page before, of the same state.');
  const people: object[] = [];
  for (const [index, state] of states.entries()) {
    if (index < start) continue;
    if (people.length >= limit) return { people, nextCursor: `${state}:` };
    const from = index === start && startCursor !== '' ? startCursor : undefined;
    const query = { state, limit: limit - people.length, cursor: from };
    const { recipientUrls, pagination } = await rest.get(projectPath(projectId, 'links'), query);
    people.push(...recipientUrls.map(personLink));
    if (pagination?.nextCursor) return { people, nextCursor: `${state}:${pagination.nextCursor}` };
  }
  return { people, nextCursor: null };
}

// biome-ignore lint/suspicious/noExplicitAny: a link of the REST API.
const personLink = ({ tokenId, state, recipientUrl, recipient, ...link }: any) => ({
  ...{ tokenId, state, url: recipientUrl },
  ...{ dueAt: link.dueAt, openedAt: link.openedAt, answersSent: link.answersSent, questionCount: link.questionCount },
  ...{ remindersSent: link.remindersSent, remindersStopped: link.remindersStopped },
  untrusted: { ...personOf(recipient), email: emailOf(recipient) },
});
