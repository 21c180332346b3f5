import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { FEED_EVENTS } from '@recording-request/contract/webhook-events';

/** The chapter of docs.md about the feed. A test runs its commands unchanged. */
export const READING_EVENTS = `## Reading events

\`GET /api/events\` returns every event of all your projects, with or without a \`webhookUrl\`, in one order. A program that continues each
time from \`nextCursor\` gets each event exactly once, in this order, also after an outage on either side. Use it instead of an endpoint,
or to find what your endpoint missed: \`eventId\` is the webhook's \`id\`, and \`data\` is the webhook's \`data\`.

\`\`\`sh
AFTER=$(cat events.cursor 2> /dev/null || true)   # empty the first time: begin with the oldest event
while api "$BASE/api/events?wait=\${WAIT:-0}\${AFTER:+&after=$AFTER}" -o events.json; do
  cat events.json   # your work: when it is stored, also store the cursor, best in the same transaction
  AFTER=$(grep -o '"nextCursor":"[^"]*"' events.json | tail -1 | cut -d'"' -f4)
  echo "$AFTER" > events.cursor
  if [ "\${WAIT:-0}" = 0 ] && grep -q '"caughtUp":true' events.json; then break; fi
done   # with WAIT=20, the loop follows the feed for ever
\`\`\`

The answer is \`{"events": [{eventId, type, createdAt, projectId, submissionId, tokenId, erased, data}], "nextCursor", "caughtUp"}\`.
\`nextCursor\` is always there. A page may have fewer events than \`limit\`, even none; if \`caughtUp\` is false, ask again at once.

| parameter | |
|---|---|
| after | the \`nextCursor\` of the previous page; absent: from the oldest event, or from \`since\` |
| since | begin with the events that the feed recorded from this time on; only without \`after\` |
| types | only these types, separated by commas: ${FEED_EVENTS.join(', ')} |
| projectId | only events of this project |
| limit | 1–${LIMITS.eventsPageSize}, ${DEFAULTS.eventsPageSize} by default; a page also ends after about 4 MB |
| wait | 0–${LIMITS.eventsWaitSec} seconds: how long the request waits if there is no event. Set your client's time limit higher. At most 10 requests may wait at once; one more is 429 |

Events are kept for 30 days, unless the operator chose another number. For an older cursor the answer is 410 \`cursor_expired\`: you have
missed events. Read the current state from the lists, and continue with the cursor in the header \`Events-Oldest\`. When a submission or a
project is erased, its events stay, also those about the link of an erased person, with \`erased: true\` and \`data: null\`. An event may appear some seconds after its \`createdAt\`. The
order is that in which the service recorded the events: of one submission, it may differ slightly from \`createdAt\`.
`;
