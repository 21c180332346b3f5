import { command } from '../command.ts';
import { clientOf, credentials, webhookSecret } from '../config.ts';
import { UsageFailure } from '../failures.ts';
import { deliverTo } from '../listen/deliver.ts';
import { follow } from '../listen/follow.ts';
import { openPlace } from '../listen/place.ts';
import { projectIdOf } from '../resolve.ts';
import { sinceOf } from '../since.ts';

export const listen = command({
  name: 'listen',
  summary: 'Forwards the events of your projects to a local server, signed as webhooks.',
  args: [],
  flags: {
    'forward-to': { type: 'text', value: 'URL', help: 'sends each event to this address; otherwise only prints them' },
    since: {
      type: 'text',
      value: 'TIME',
      help: 'begins at a time (2026-03-02T10:00:00Z) or some time ago (90s, 30m, 2h, 3d)',
    },
    'cursor-file': { type: 'text', value: 'FILE', help: 'keeps the place in FILE, and continues there' },
    types: { type: 'text', value: 'TYPE,…', help: 'forwards only these types' },
    project: { type: 'text', value: 'PROJECT', help: 'forwards only the events of a project' },
    'until-idle': { type: 'switch', help: 'ends once there are no more events; fails after five refusals of an event' },
    'no-retry': { type: 'switch', help: 'sends each event once, whatever the server answers' },
    'print-secret': { type: 'switch', help: 'prints the secret of the signatures, and ends' },
    'header-prefix': {
      type: 'text',
      value: 'WORD',
      help: 'the word of your operator in the names of headers; service by default',
    },
  },
  notes: `Begins now, unless --since or the cursor file says otherwise. Events are sent one at a time, in order, each at least once.
An event counts as sent when the server answers 2xx; after any other answer it is sent again, with growing waits.
The place is stored after each event, so that a computer that slept, or a command that was killed, misses nothing.
The secret is made once and stored; RR_WEBHOOK_SECRET replaces it. Erased events have no data and are left out.`,
  async run({ flags }, { out, signal, env }) {
    if (flags['print-secret']) {
      const secret = await webhookSecret(env);
      return out.result({ secret }, secret);
    }
    const url = flags['forward-to'];
    if (url !== undefined && !(URL.canParse(url) && /^https?:\/\//.test(url)))
      throw new UsageFailure('--forward-to must be an address such as http://localhost:3000/hooks.');
    const since = flags.since === undefined ? undefined : sinceOf(flags.since);
    const { baseUrl, token } = await credentials(env);
    let aheadMs = 0;
    const client = clientOf(baseUrl, token, sent => {
      aheadMs = Date.now() - sent;
    });
    const projectId = flags.project && (await projectIdOf(client, flags.project, signal));
    await using place = await openPlace(flags['cursor-file']);
    const secret = url === undefined ? undefined : await webhookSecret(env);
    const isStrict = flags['until-idle'];
    const deliver =
      url !== undefined && secret !== undefined
        ? deliverTo({
            url,
            secret,
            prefix: flags['header-prefix'],
            once: flags['no-retry'],
            tries: isStrict ? 5 : Infinity,
          })
        : undefined;
    // The clock of this computer may be ahead of the service's clock. The response shows by how much.
    if (!since) await client.eventsPage({ limit: 1 }, { signal });
    await follow({
      ...{
        client,
        out,
        signal,
        place,
        since: since ?? new Date(Date.now() - Math.max(0, aheadMs)),
        deliver,
        untilIdle: isStrict,
      },
      query: { ...(projectId && { projectId }), ...(flags.types && { types: flags.types }) },
      where: url ?? 'the terminal',
    });
  },
});
