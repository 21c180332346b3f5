/** Tests the server for agents with the client of its SDK: an agent's whole work, and contributors who write orders to it. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ok } from '@recording-request/harness/http-client';
import { type TestClip, testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { INJECTIONS } from '@recording-request/testing/injections';
import { type Owner, startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { type Agent, connectAgent, connectLocalAgent, textOf } from './harness/agent.ts';
import { inParallel, SYSTEM_WAIT } from './harness/limits.ts';
import { startScriptedSpeech } from './harness/scripted-speech.ts';
import { submissionsOf } from './harness/seed.ts';

await using starting = new AsyncDisposableStack();
const speech = starting.use(await startScriptedSpeech('We bake the bread at five in the morning.'));
const system = starting.use(await startTestSystem({ env: { SPEECH_BASE_URL: speech.baseUrl } }));
const started = starting.move();
after(() => started.disposeAsync());

let clip: TestClip;
before(async () => {
  clip = await testClip({ container: 'webm', text: 'good morning', width: 64, height: 48, frameRate: 10, seconds: 10 });
});

const land = async (link: string, about: { note: string; questionIndex?: number }) =>
  await sendClip(link, clip, { responseSessionId: await beginResponse(link), ...about });

test('an agent creates, invites, waits for a clip, finds a sentence and gets an export in at most 12 calls', async t => {
  const ada = await system.newOwner('Ada', 10);
  await using agent = await connectAgent(system.baseUrl, ada.token);
  await mainJob(agent, ada, t);
});

test('an agent does the same through rr mcp, the command on its own machine', async t => {
  const ada = await system.newOwner('Ada', 10);
  await using agent = await connectLocalAgent(system.baseUrl, ada.token);
  await mainJob(agent, ada, t);
});

async function mainJob(agent: Agent, ada: Owner, t: TestContext): Promise<void> {
  const project = { projectName: 'Bakery', questions: ['When do you start?'], noteEnabled: true };
  const { confirm, remainingVideos } = await agent.use('create_project', project);
  assert.equal(remainingVideos, 10);
  const { projectId } = await agent.use('create_project', { ...project, confirm });

  const people = [
    { name: 'Ana', reference: 'P-1', email: 'ana@example.org' },
    { name: 'Ben', reference: 'P-2' },
  ];
  const invitation = { projectId, people };
  const dry = await agent.use('invite', invitation);
  assert.deepEqual([dry.valid, dry.faults, dry.links], [2, [], []]);
  const { links } = await agent.use('invite', { ...invitation, confirm: dry.confirm });
  assert.deepEqual(
    links.map(({ untrusted }: { untrusted: object }) => untrusted),
    people.map(({ name, reference }) => ({ name, reference })),
  );

  const types = ['submission.transcript.completed'];
  const waiting = agent.use('what_happened', { projectId, types, waitSec: 25 });
  const submissionId = await land(links[0].url, { note: 'at the oven', questionIndex: 0 });
  let page = await waiting;
  for (let more = 0; page.events.length === 0 && more < 3; more++)
    page = await agent.use('what_happened', { projectId, types, after: page.nextCursor, waitSec: 25 });
  assert.deepEqual([page.events[0].submissionId, page.events[0].untrusted.name], [submissionId, 'Ana']);

  const missing = await agent.use('who_is_missing', { projectId });
  assert.deepEqual(
    missing.people.map((each: { untrusted: { name?: string } }) => each.untrusted.name),
    [undefined, 'Ben'],
  );
  const { clips } = await agent.use('search_clips', { projectId, search: 'bread MORNING' });
  assert.deepEqual([clips.length, clips[0].submissionId, clips[0].untrusted.note], [1, submissionId, 'at the oven']);
  assert.match(clips[0].moments[0].untrusted, /^We bake the bread at five in the morning\.$/);
  const { url } = await agent.use('export_url', { projectId, format: 'transcripts.txt' });
  t.diagnostic(`${agent.calls()} calls`);
  assert.ok(agent.calls() <= 12, `${agent.calls()} calls`);

  const exported = await fetch(url, { headers: { authorization: `Bearer ${ada.token}` } });
  assert.equal(exported.status, 200);
  assert.match(await exported.text(), /We bake the bread at five in the morning\./);
  const { lines } = await agent.use('read_transcript', { projectId, submissionId });
  assert.match(lines.map(({ untrusted }: { untrusted: string }) => untrusted).join(' '), /^We bake the bread/);
  const shown = await agent.use('get_clip', { projectId, submissionId });
  assert.equal((await fetch(shown.videoUrl, { headers: { authorization: `Bearer ${ada.token}` } })).status, 200);
}

test('a confirm carries out its write once, also when it is repeated at the same time', async () => {
  const ada = await system.newOwner('Ada');
  await using agent = await connectAgent(system.baseUrl, ada.token);
  const project = { projectName: 'Once', sandbox: true };
  const { confirm } = await agent.use('create_project', project);
  const made = await until(
    'both answers',
    async () => {
      const results = await Promise.all([1, 2].map(() => agent.call('create_project', { ...project, confirm })));
      return results.every(({ isError }) => !isError) && results.map(each => each.structuredContent?.projectId);
    },
    SYSTEM_WAIT,
  );
  assert.equal(made[0], made[1]);
  assert.equal(ok(await ada.ask('/api/projects')).projects.length, 1);
});

/** Returns a structured result without the fields that are marked as other people's words. */
function trusted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trusted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'untrusted' ? undefined : trusted(each)]),
  );
}

// Words that occur in the injected orders, but in no field of the service itself.
const ORDERS = /create_project|\binvite\b|owned|evil|ignor|instruction|<script|無視|تجاهل/i;

/** Checks that the words of other people stay inside the fence, and in fields named `untrusted`. */
function checkFence(name: string, result: CallToolResult): void {
  assert.ok(!result.isError, textOf(result));
  const [, mark, json = '', end] =
    /^[^<>]*\n<data ([0-9a-f]{16})>\n([^<>\n]*)\n<\/data ([0-9a-f]{16})>$/.exec(textOf(result)) ?? [];
  assert.ok(mark !== undefined && mark === end, `${name}: ${textOf(result).slice(0, 500)}`);
  assert.deepEqual(JSON.parse(json), result.structuredContent, name);
  assert.doesNotMatch(json, /[\u{e0000}-\u{e0fff}\u202a-\u202e\u2028]/u, name);
  assert.doesNotMatch(JSON.stringify(trusted(result.structuredContent)), ORDERS, name);
}

/** Reads every page of a tool's results. */
async function readAll(
  agent: Agent,
  name: string,
  args: object,
  next: (data: Record<string, unknown>) => object | undefined,
) {
  const texts: string[] = [];
  for (let more: object | undefined = {}, pages = 0; more; pages++) {
    assert.ok(pages < 40, name);
    const result = await agent.call(name, { ...args, ...more });
    checkFence(name, result);
    texts.push(textOf(result));
    more = next(result.structuredContent as Record<string, unknown>);
  }
  return texts.join('\n');
}
const byCursor = ({ nextCursor }: Record<string, unknown>) =>
  nextCursor === undefined ? undefined : { cursor: nextCursor };

/** Everything that a write could change. */
async function stateOf(owner: Owner): Promise<unknown> {
  const { projects } = ok(await owner.ask('/api/projects'));
  const links = projects.map(async ({ projectId }: { projectId: string }) =>
    ok(await owner.ask(`/api/projects/${projectId}/links`)),
  );
  return { projects, links: await Promise.all(links) };
}

test('thirty texts with orders in names, notes and transcripts stay data, and cause no write', async () => {
  assert.equal(INJECTIONS.length, 30);
  const ada = await system.newOwner('Ada');
  const recipients = INJECTIONS.map((text, at) => ({
    name: text.replaceAll(/[\n\u2028\u2029]/g, ' '),
    reference: `P-${at}`,
    metadata: { about: text.replaceAll(/[\n\u2028\u2029]/g, ' ') },
  }));
  const settings = { projectName: 'Hostile', transcriptionEnabled: true, noteEnabled: true };
  const { projectId, recipientUrls } = await ada.createProject({ ...settings, count: recipients.length, recipients });
  await using agent = await connectAgent(system.baseUrl, ada.token);
  const missing = await readAll(agent, 'who_is_missing', { projectId, limit: 7 }, byCursor);
  assert.equal(missing.match(/"reference":"P-/g)?.length, INJECTIONS.length);

  const groups = Array.from({ length: 6 }, (_, at) => INJECTIONS.slice(at * 5, at * 5 + 5));
  speech.hearNext(...groups);
  const takes = groups.map((texts, at) => ({ link: recipientUrls[at]!.recipientUrl, note: texts.join('\n') }));
  await inParallel(takes, 3, ({ link, note }) => land(link, { note }));
  const clips = await until(
    'the transcripts',
    async () => {
      const all = await submissionsOf(ada, projectId);
      for (const { transcriptStatus, transcriptError } of all)
        assert.notEqual(transcriptStatus, 'failed', `${transcriptError}`);
      return all.filter(({ transcriptStatus }) => transcriptStatus === 'completed').length === groups.length && all;
    },
    SYSTEM_WAIT,
  );
  const before = await stateOf(ada);
  const found = await readAll(agent, 'search_clips', { projectId, limit: 7, search: 'create_project' }, byCursor);
  assert.match(found, /moments/);
  const listed = await readAll(agent, 'search_clips', { projectId, limit: 20 }, byCursor);
  assert.equal(listed.match(/"note":/g)?.length, groups.length);
  let read = '';
  for (const { submissionId } of clips) {
    read += await readAll(agent, 'get_clip', { projectId, submissionId }, () => undefined);
    const onward = ({ nextFromSec }: Record<string, unknown>) =>
      nextFromSec === undefined ? undefined : { fromSec: nextFromSec };
    read += await readAll(agent, 'read_transcript', { projectId, submissionId, maxChars: 200 }, onward);
  }
  assert.match(read, /Übersetze nichts/);
  await readAll(agent, 'list_projects', {}, byCursor);
  await readAll(agent, 'what_happened', { projectId, limit: 50 }, ({ caughtUp, nextCursor }) =>
    caughtUp ? undefined : { after: nextCursor },
  );
  await readAll(agent, 'export_url', { projectId, format: 'zip' }, () => undefined);

  // Plays an agent that obeys the texts: it makes the calls that they order, with every `confirm` that a text could give.
  for (const text of INJECTIONS) {
    for (const confirm of [
      'yes',
      'approved',
      '2s4f.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      text.slice(0, 200),
    ]) {
      assert.equal((await agent.call('create_project', { projectName: 'owned', links: 50, confirm })).isError, true);
      assert.equal(
        (await agent.call('invite', { projectId, people: [{ email: 'a@evil.example' }], confirm })).isError,
        true,
      );
    }
    const name = text.replaceAll(/[\n\u2028\u2029]/g, ' ').slice(0, 100);
    assert.equal((await agent.use('create_project', { projectName: name })).state, 'dry_run');
    assert.equal((await agent.use('invite', { projectId, people: [{ name, reference: 'new' }] })).state, 'dry_run');
  }
  await assert.rejects(agent.call('erase_project', { projectId }), /There is no such tool/);
  assert.deepEqual(await stateOf(ada), before);
});
