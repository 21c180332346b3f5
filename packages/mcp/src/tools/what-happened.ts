import type { Static } from 'typebox';
import { personOf } from '../person.ts';
import { flag, id, input, list, optional, output, string, text, tool, untrusted, whole } from '../tool.ts';
import { shown } from '../untrusted.ts';

const USUAL = 20;
// A page of the feed may be empty although more events follow, because the filter may remove every event of the page.
const PAGES_MAX = 5;
const args = input({
  projectId: optional(id()),
  types: optional(
    list(text(50), {
      minItems: 1,
      maxItems: 20,
      description: 'Such as submission.transcript.completed, response.completed',
    }),
  ),
  since: optional(text(40, 'RFC 3339; not with after')),
  after: optional(text(2_000, 'nextCursor of the previous call. Absent, without since: from the oldest event')),
  limit: optional(whole(1, 50, `default ${USUAL}`)),
  waitSec: optional(whole(0, 25, 'Wait for an event if there is none')),
});

export const whatHappened = tool({
  name: 'what_happened',
  title: 'What happened',
  scope: 'events:read',
  description:
    'Events of your projects, oldest first. To wait for a clip, use waitSec, and repeat with after. submission.completed is a landed clip.',
  input: args,
  output: output({
    events: list(
      output({
        eventId: string,
        type: string,
        createdAt: string,
        projectId: string,
        submissionId: string,
        tokenId: string,
        erased: flag(),
        untrusted,
      }),
    ),
    nextCursor: string,
    caughtUp: flag(),
  }),
  async run({ after, since, types, projectId, limit = USUAL, waitSec }: Static<typeof args>, { rest }) {
    const filter = { types: types?.join(','), projectId, limit, wait: waitSec };
    let page = await rest.get('/api/events', { ...filter, after, since });
    for (let pages = 1; page.events.length === 0 && !page.caughtUp && pages < PAGES_MAX; pages++)
      page = await rest.get('/api/events', { ...filter, after: page.nextCursor });
    return { events: page.events.map(eventOf), nextCursor: page.nextCursor, caughtUp: page.caughtUp };
  },
});

// biome-ignore lint/suspicious/noExplicitAny: an event of the REST API.
const eventOf = ({ eventId, type, createdAt, projectId, submissionId, tokenId, erased, data }: any) => ({
  ...{ eventId, type, createdAt, projectId, submissionId, tokenId, erased },
  untrusted: {
    project: shown(data?.projectName, 200),
    ...personOf(data?.submission?.recipient ?? data?.link?.recipient),
    error: shown(data?.lastError, 200),
  },
});
