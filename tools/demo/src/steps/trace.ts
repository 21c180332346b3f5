import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@recording-request/stack/wait';
import { check, checkEqual } from '../check.ts';
import { SPAN_KIND, type Span } from '../otlp-json.ts';
import type { Show } from '../show.ts';
import { CLIENT_TRACE_ID } from './contribute.ts';
import type { Project, Projects } from './create-projects.ts';
import type { Settled } from './settle.ts';
import type { Delivered } from './webhooks.ts';

const LIMIT_MS = 30_000;

/** The services from a clip to its webhooks, in the order of their calls. */
const ROUTES = {
  'submission.completed': ['gateway', 'submissions', 'webhooks'],
  'submission.transcript.completed': [
    'gateway',
    'submissions',
    'media',
    'submissions',
    'transcription',
    'submissions',
    'webhooks',
  ],
};

/** Checks that one trace contains the request with a clip's last byte and the requests of its webhooks. */
export async function checkTrace(show: Show, clip: Settled, delivered: Delivered[]): Promise<void> {
  const { play, traces, resultsDir, signal } = show;
  await play('one trace from the upload to the webhooks', async note => {
    const uploadId = new URL(clip.landed.end.uploadUrl).pathname.split('/').at(-1)!;
    const root = await waitFor(
      'the trace',
      async () => {
        const roots = Object.entries(ROUTES).map(([type, route]) => {
          const one = delivered.find(
            ({ body }) => body.type === type && body.data.submission?.submissionId === clip.submission.submissionId,
          );
          return rootOf(traces.spans, one!, route);
        });
        const ids = new Set(roots.map(span => span.traceId));
        check('both webhooks of a clip in one trace', ids.size === 1, [...ids]);
        return roots[0]!;
      },
      { timeoutMs: LIMIT_MS, signal },
    );
    const isUpload = Object.values(root.attributes).some(value => String(value).includes(`/uploads/${uploadId}`));
    const isRequest = root.service === 'gateway' && root.kind === SPAN_KIND.server;
    check('the trace to begin with the request of the upload at the gateway', isRequest && isUpload, root);
    const spans = traces.spans.filter(span => span.traceId === root.traceId);
    const services = [...new Set(spans.map(span => span.service))].sort();
    checkEqual('the services in the trace', services, [
      'gateway',
      'media',
      'projects',
      'submissions',
      'transcription',
      'webhooks',
    ]);
    checkEqual('spans with the trace id of a client', traces.spans.filter(isForeign).length, 0);
    await writeFile(join(resultsDir, 'trace.json'), JSON.stringify(spans, null, 2));
    const took = (Math.max(...spans.map(span => span.endMs)) - root.startMs) / 1000;
    note(`${spans.length} spans of ${services.length} services over ${took.toFixed(1)} s`);
    note(ROUTES['submission.transcript.completed'].join(' → '));
  });
}

const isForeign = ({ traceId }: Span) => traceId === CLIENT_TRACE_ID;

/** Follows the request of a delivery up to the root of its trace. Throws when the path is not `route`. */
function rootOf(spans: Span[], { body }: Delivered, route: string[]): Span {
  const byId = new Map(spans.map(span => [`${span.traceId} ${span.spanId}`, span]));
  const attempt = spans.find(
    span =>
      span.service === 'webhooks' &&
      span.attributes['recording.event.id'] === body.id &&
      span.name.startsWith('webhook '),
  );
  check(`a span of the attempt to deliver ${body.type}`, attempt, 'none');
  const request = spans.find(
    ({ traceId, parentSpanId, kind, attributes }) =>
      traceId === attempt.traceId &&
      parentSpanId === attempt.spanId &&
      kind === SPAN_KIND.client &&
      attributes['http.request.method'] === 'POST',
  );
  check(`a span of the request that delivers ${body.type}`, request, 'none');
  const way: Span[] = [request];
  for (let span = request; span.parentSpanId; ) {
    const parent = byId.get(`${span.traceId} ${span.parentSpanId}`);
    check(`the parent of “${span.name}” of ${span.service}`, parent, `none among ${spans.length} spans`);
    way.unshift(parent);
    span = parent;
  }
  const services = way.map(span => span.service).filter((service, at, all) => service !== all[at - 1]);
  check(`${body.type} to have passed ${route.join(' → ')}`, services.join() === route.join(), way.map(describe));
  // If no RPC called the service, the service must have consumed an event or started a job.
  for (const [at, span] of way.entries()) {
    const before = way[at - 1];
    const isEntry = before && before.service !== span.service && before.service !== 'gateway';
    const isTaken = span.kind === SPAN_KIND.consumer || span.name.endsWith(' job');
    if (isEntry) check(`${span.service} to have consumed an event or started a job`, isTaken, describe(span));
  }
  return way[0]!;
}

const describe = ({ service, name }: Span) => `${service}: ${name}`;

/** Checks that no span contains a token, a secret or a signed URL. */
export async function checkNoSecrets({ play, traces, apiToken }: Show, projects: Projects): Promise<void> {
  await play('no token in any span', async note => {
    const all: Project[] = [projects.stories, projects.interview, projects.strict];
    const secrets = all.flatMap(({ created, webhookSecret }) => [
      created.projectToken,
      webhookSecret,
      ...created.recipientUrls.map(({ token }) => token),
      ...(created.sharedLink ? [created.sharedLink.token] : []),
    ]);
    const patterns = [/\b(?:api|prj|vr)_[0-9A-Za-z]{16}/, /X-Amz-Signature=[0-9a-f]{8}/, /Bearer [^"]{8}/];
    for (const body of traces.bodies) {
      for (const secret of [apiToken, ...secrets])
        check('no token in any span', !body.includes(secret), around(body, secret));
      for (const pattern of patterns)
        check(`nothing like ${pattern} in any span`, !pattern.test(body), around(body, pattern));
    }
    check('spans to have arrived', traces.spans.length > 0, 'none');
    note(`${secrets.length + 1} secrets looked for in ${traces.spans.length} spans`);
  });
}

/** Returns the text around a secret, without the secret itself. */
function around(body: string, what: string | RegExp): string {
  const at = body.search(typeof what === 'string' ? what.replaceAll(/[^\w]/g, '.') : what);
  return `… ${body.slice(Math.max(0, at - 200), at)}`;
}
