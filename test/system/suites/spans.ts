import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { SPAN_KIND, type Span } from '@recording-request/demo/otlp-json';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { newEvent } from '@recording-request/events/event';
import { ok } from '@recording-request/harness/http-client';
import { createUpload, tusRequest } from '@recording-request/harness/tus';
import { isUuid, uuidv7 } from '@recording-request/kit/ids';
import { Event } from '@recording-request/proto/events/v1/events';
import {
  COMMON_ATTRIBUTES,
  SPANS,
  type SpanDefinition,
  type SpanKindName,
} from '@recording-request/telemetry-registry/spans';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { admin } from '../harness/admin.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';
import type { Stores } from '../harness/stores.ts';

const forms = Object.entries<SpanDefinition>(SPANS);
const SCOPES = { us: 'recording-request', undici: '@opentelemetry/instrumentation-undici' };
/** Patterns of span names whose placeholders would otherwise match other names too. */
const PATTERNS: Record<string, RegExp> = {
  '{method} {route}': /^[A-Z_]+( \/\S*)?$/,
  '{method}': /^[A-Z_]+$/,
  '{package.Service/Method}': /^recording\.\w+\.v1\.\w+\/\w+$/,
  '{operation} {collection}': /^(?!store )\w+ \S+$/,
};
/** Listed attributes that may be missing, with the reason. */
const RARE: Record<string, string> = {
  'error.type': 'only a few forms fail in this file',
  'recording.exit.signal': 'a program is killed here only when its reader stops early',
  'process.exit.code': 'a program whose reader stops early ends by a signal',
  'db.response.status_code': 'no command fails',
  'http.request.method_original': 'only for methods that a library spells differently',
  'user_agent.original': 'only for clients that send it',
  'url.query': 'only for URLs with a query',
  'recording.error.message': 'calls do not fail in every run',
  'recording.objects': 'a store without versions lists none',
  'messaging.kafka.offset': 'some broker answers lack it',
  'client.address': 'the library omits an unknown address',
  'network.peer.address': 'a request refused before its connection has none',
  'network.peer.port': 'as above',
};
/** A bound on the number of spans of one clip with its transcript and four webhooks. */
const CLIP_SPANS_MAX = 220;
const PARTS = 60;
/** The requests whose spans have an id, because these requests look up an item by its path, token or response. */
const ID_REQUESTS = {
  'recording.project.id': /\{projectId\}|\{projectToken\}|\/r\/\{token\}(?!\/thank-you)|^POST \/api\/projects$/,
  'recording.submission.id': /\{submissionId\}/,
  'recording.upload.id': /\{uploadId\}|^POST .*\/uploads\/?$/,
};

const idOf = ({ attributes }: Span) => attributes['recording.submission.id'];

/** Tests the spans that the services sent during all earlier suites of this file. */
export function spans(seed: SeedData, stores: Stores, { spans: all }: Pick<TraceReceiver, 'spans'>): void {
  const { system, ada, full, clip, mute } = seed;
  const named = (name: string) => all.filter(span => span.name === name);
  const byId = () => new Map(all.map(span => [`${span.traceId} ${span.spanId}`, span]));
  const traceIdOf = async (id: string) => {
    const row = await stores.collection('submissions', 'submissions').findOne({ _id: id });
    return String((row?.trace as { traceparent?: string } | undefined)?.traceparent).split('-')[1]!;
  };
  const seen = (what: string, find: () => Span | undefined | false) =>
    until(what, async () => find() || false, SYSTEM_WAIT);

  describe('spans', () => {
    test('one trace leads from the last byte to the webhooks, and links each event’s sender to its handler', async () => {
      const traceId = await traceIdOf(clip.submissionId);
      const own = () => all.filter(span => span.traceId === traceId);
      await seen('the last webhook', () =>
        own().find(({ name }) => name === 'webhook submission.transcript.completed'),
      );
      const root = own().find(span => !span.parentSpanId)!;
      assert.deepEqual([root.service, root.kind], ['gateway', SPAN_KIND.server]);
      const at = byId();
      const processed = own().filter(({ kind }) => kind === SPAN_KIND.consumer);
      assert.ok(processed.length >= 5, `${processed.length} events`);
      for (const span of processed) {
        const sent = at.get(`${traceId} ${span.parentSpanId}`)!;
        assert.equal(sent.name, span.name.replace('process', 'send'));
        // A consumer may handle the event before the producer has the acknowledgement, so the test compares with the
        // start of sending.
        assert.ok(sent.startMs <= span.endMs, `${sent.name} begins before ${span.name} ends`);
        for (const same of ['message.id', 'destination.name', 'destination.partition.id', 'kafka.offset']) {
          assert.notEqual(span.attributes[`messaging.${same}`], undefined, same);
          assert.equal(span.attributes[`messaging.${same}`], sent.attributes[`messaging.${same}`], same);
        }
      }
      for (const name of ['media job', 'transcript job', 'land', 'ffmpeg', 'ffprobe', 'sound levels', 'speech'])
        assert.ok(
          own().some(span => span.name === name),
          name,
        );
      // The collector may sample the trace while bytes still arrive, so the first
      // span to end must already have the upload's id.
      const [first] = own()
        .filter(({ service }) => service === 'submissions')
        .sort((a, b) => a.endMs - b.endMs);
      assert.ok(isUuid(String(first!.attributes['recording.upload.id'])), `${first!.name} ended first`);
      const services = new Set(
        own()
          .filter(span => idOf(span) === clip.submissionId)
          .map(({ service }) => service),
      );
      const everyService = ['gateway', 'media', 'projects', 'submissions', 'transcription', 'webhooks'];
      // If a landing takes longer than its client waits, the gateway responds without knowing the id.
      const hasAnswerId = root.attributes['http.response.status_code'] !== 202;
      assert.deepEqual(
        [...services].sort(),
        everyService.filter(name => hasAnswerId || name !== 'gateway'),
      );
      assert.ok(own().length <= CLIP_SPANS_MAX, `${own().length} spans`);
    });

    test('a gateway span has the ids from its path, token or answer', () => {
      const requests = all.filter(
        ({ service, kind, attributes }) =>
          service === 'gateway' && kind === SPAN_KIND.server && Number(attributes['http.response.status_code']) < 300,
      );
      for (const [attribute, about] of Object.entries(ID_REQUESTS)) {
        const those = requests.filter(({ name }) => about.test(name));
        assert.ok(those.length > 0, `no request should have ${attribute}`);
        for (const { name, attributes } of those)
          assert.ok(isUuid(String(attributes[attribute])), `${name} lacks ${attribute}`);
      }
    });

    test('a trace does not grow with the number of parts of its upload', async () => {
      const link = full.sharedLink!.recipientUrl;
      const responseSessionId = await beginResponse(link, { termsAccepted: true });
      const metadata = { responseSessionId, filetype: mute.mimeType };
      const { url, id } = await createUpload(`${link}/uploads`, { metadata, length: mute.bytes.length });
      const size = Math.ceil(mute.bytes.length / PARTS);
      for (let at = 0; at < mute.bytes.length; at += size)
        await tusRequest(url, 'PATCH', { 'Upload-Offset': String(at) }, mute.bytes.subarray(at, at + size));
      const land = await seen('the landing', () =>
        all.find(span => span.name === 'land' && span.attributes['recording.upload.id'] === id),
      );
      const own = all.filter(({ traceId }) => traceId === (land as Span).traceId);
      const read = Object.values(
        Object.groupBy(
          own.filter(each => each.name === 'store GetObject'),
          each => each.parentSpanId ?? '',
        ),
      );
      assert.ok(read.length > 0, 'the landing’s trace has no reads');
      for (const some of read) assert.ok(some!.length <= 20, `one step has ${some!.length} reads`);
      assert.ok(own.length <= CLIP_SPANS_MAX, `${own.length} spans of an upload in ${PARTS} parts`);
    });

    test('a landing that the sweeper resumes belongs to the trace of the last byte', async () => {
      const link = full.sharedLink!.recipientUrl;
      const responseSessionId = await beginResponse(link, { termsAccepted: true });
      const { url, id } = await createUpload(`${link}/uploads`, {
        metadata: { responseSessionId, filetype: mute.mimeType },
      });
      await tusRequest(url, 'PATCH', { 'Upload-Offset': '0' }, mute.bytes);
      const traceId = uuidv7().replaceAll('-', '');
      const trace = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: '' };
      const length = mute.bytes.length;
      const began = {
        state: 'finishing',
        submissionId: uuidv7(),
        finishingAt: new Date(),
        nextTryAt: new Date(0),
        trace,
        length,
      };
      await stores.collection('submissions', 'uploads').updateOne({ _id: id }, { $set: began });
      const resumed = (await seen('its span', () =>
        named('resume landing').find(span => span.traceId === traceId),
      )) as Span;
      assert.equal(resumed.parentSpanId, 'b7ad6b7169203331');
      assert.equal(idOf(resumed), began.submissionId);
      await seen('its webhook', () => all.find(span => span.traceId === traceId && span.name.startsWith('webhook ')));
    });

    test('a redelivery and an erasure link to the trace of the event', async () => {
      const path = `/api/projects/${full.projectId}/webhook-deliveries`;
      const { deliveries } = ok(await ada.ask(path));
      const { deliveryId } = deliveries.find(
        (each: { submissionId: string }) => each.submissionId === clip.submissionId,
      );
      ok(await ada.ask(`${path}/${deliveryId}/redeliver`, { method: 'POST' }));
      const traceId = await traceIdOf(clip.submissionId);
      const links = (span: Span) => span.links.some(link => link.traceId === traceId);
      const about = (name: string) => named(name).filter(span => idOf(span) === clip.submissionId);
      await seen('the redelivery', () => about('redeliver').find(links));
      await seen('the attempt', () =>
        all.find(span => span.name.startsWith('webhook ') && span.traceId !== traceId && links(span)),
      );
      const landings = (span: Span) => named('land').filter(landing => idOf(landing) === idOf(span));
      assert.ok(
        named('erase').some(span =>
          landings(span).some(landing => span.links.some(link => link.traceId === landing.traceId)),
        ),
        'an erasure links to the trace of the clip',
      );
    });

    test('a requested transcript belongs to the trace of its request, which links to the clip’s trace', async () => {
      const project = await ada.createProject({ projectName: 'Once more', count: 1, transcriptionEnabled: true });
      const link = project.recipientUrls[0]!.recipientUrl;
      const speech = await testClip({ container: 'webm', text: 'please open the door', width: 320, height: 180 });
      const id = await sendClip(link, speech, { responseSessionId: await beginResponse(link) });
      const path = `/api/projects/${project.projectId}/submissions/${id}`;
      const isTranscribed = async () => ok(await ada.ask(path)).transcriptStatus === 'completed';
      await until('its transcript', isTranscribed, SYSTEM_WAIT);
      const failed = { $set: { transcriptStatus: 'failed' } };
      await stores.collection('submissions', 'submissions').updateOne({ _id: id }, failed);
      ok(await ada.ask(`${path}/transcript`, { method: 'POST' }));
      const traceId = await traceIdOf(id);
      const again = (await seen('the second transcript job', () =>
        named('transcript job').find(span => idOf(span) === id && span.traceId !== traceId),
      )) as Span;
      assert.ok(again.links.some(link => link.traceId === traceId));
    });

    test('a dead letter is replayed in the trace of its event, and its log line has the clip’s id', async () => {
      const letters = stores.collection('submissions', 'deadLetters');
      const traceId = uuidv7().replaceAll('-', '');
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
      const [projectId, submissionId] = [uuidv7(), uuidv7()];
      const noVideo = { ...{ projectId, submissionId, audio: undefined, thumbnails: [] }, inspection: undefined };
      const event = newEvent('media.processed', { $case: 'mediaProcessed', value: { ...noVideo, video: undefined } });
      const value = Buffer.from(Event.encode({ ...event, traceparent }).finish());
      await stores.publish('media.events', value, { traceparent });
      const found = await until('the dead letter', async () => letters.findOne({ submissionId }), SYSTEM_WAIT);
      const logLine = async () =>
        (await system.logs())
          .split('\n')
          .find(
            each =>
              each.includes('An event goes to the dead letter topic') &&
              each.includes(submissionId) &&
              each.endsWith('}'),
          );
      const line = JSON.parse(await until('its line', logLine, SYSTEM_WAIT)) as Record<string, unknown>;
      assert.deepEqual([line.projectId, line.submissionId, line.trace_id], [projectId, submissionId, traceId]);
      const run = await admin(system, 'dead-letters', 'replay', found!._id);
      assert.equal(run.code, 0, run.stderr);
      await seen('its span', () => named('replay dead letter').find(span => span.traceId === traceId));
    });

    test('the span of a request to an owner’s endpoint has only the host: the rest may be secret', async () => {
      const at = byId();
      const sent = named('ask endpoint');
      assert.ok(sent.length > 0);
      for (const { attributes, parentSpanId, traceId } of sent) {
        assert.match(at.get(`${traceId} ${parentSpanId}`)?.name ?? '', /^webhook /);
        assert.equal(attributes['url.full'], new URL(String(attributes['url.full'])).origin);
        assert.deepEqual([attributes['url.path'], attributes['url.query']], [undefined, undefined]);
      }
    });

    test('every answer has the id of its trace', async () => {
      const { ask } = seed;
      const answers = await Promise.all([
        ada.ask('/api/me'),
        ask('/api/me'),
        ask('/nowhere'),
        ask('/api/me', { method: 'PUT' }),
      ]);
      for (const { headers, status } of answers) {
        const id = headers.get('request-id')!;
        await seen(`the trace of an answer with ${status}`, () =>
          all.find(span => span.traceId === id && span.service === 'gateway'),
        );
      }
      const link = full.sharedLink!.recipientUrl;
      const proxied = await tusRequest(`${link}/uploads/${uuidv7()}`, 'HEAD');
      const id = proxied.headers.get('request-id')!;
      await seen(
        'both sides of a proxied request',
        () =>
          all.some(span => span.traceId === id && span.service === 'submissions') &&
          all.find(span => span.traceId === id && span.service === 'gateway'),
      );
      // Node's HTTP server refuses this request before the gateway can trace it.
      const { hostname, port } = new URL(system.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.end('nonsense\r\n\r\n');
      assert.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*request-id: [0-9a-f]{32}\r\n/i);
    });

    test('no span or attribute outside the registry is emitted', () => {
      const unknown = new Set<string>();
      for (const span of all) {
        const form = formOf(span);
        if (!form) unknown.add(`${span.service}: ${span.name} (${span.scope}, kind ${span.kind})`);
        for (const attribute of Object.keys(span.attributes))
          if (form && !(attribute in form.attributes) && !(attribute in COMMON_ATTRIBUTES))
            unknown.add(`${span.name} of ${span.service}: ${attribute}`);
      }
      assert.deepEqual([...unknown], []);
    });

    test('every form of the registry is emitted with its attributes', async () => {
      const missing = () =>
        forms.flatMap(([name, form]) => {
          const some = all.filter(span => formOf(span) === form);
          const attributes = Object.keys(form.attributes).filter(
            each =>
              !(each in RARE) && !(`${name}: ${each}` in RARE) && !some.some(({ attributes: own }) => each in own),
          );
          return some.length === 0 ? [name] : attributes.map(each => `${name}: ${each}`);
        });
      await until('every form', async () => missing().length === 0, SYSTEM_WAIT).catch(() => undefined);
      assert.deepEqual(missing(), []);
    });
  });
}

function formOf({ name, kind, scope }: Span): SpanDefinition | undefined {
  const word = Object.entries(SPAN_KIND).find(([, number]) => number === kind)?.[0] as SpanKindName;
  return forms.find(
    ([form, { kinds, by }]) =>
      kinds.includes(word) && SCOPES[by] === scope && (PATTERNS[form] ?? patternOf(form)).test(name),
  )?.[1];
}

const patternOf = (form: string) => new RegExp(`^${form.replace(/\{[^}]+\}/g, '\\S+')}$`);
