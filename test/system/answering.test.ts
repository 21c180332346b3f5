/** Tests through HTTP how much time contributors have, and in which ways they may answer. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { ok, type Request, refused } from '@recording-request/harness/http-client';
import { createUpload } from '@recording-request/harness/tus';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { startTestSystem } from '@recording-request/testing/test-system';
import { fits } from './harness/fits.ts';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem());
const picture = { audio: 'none', width: 64, height: 48, frameRate: 10 } as const;
const fiveSeconds = await testClip({ container: 'webm', seconds: 5, ...picture });
const ada = await system.newOwner('Ada');
const started = starting.move();
after(() => started.disposeAsync());

type Links = ProjectCreatedJson['recipientUrls'];
const patch = (path: string, json: object) => ada.ask(path, { method: 'PATCH', json });
const page = async (link: string) =>
  (await ada.ask(new URL(link).pathname, { headers: { accept: 'text/html', 'accept-language': 'en' } })).text();

test('a person gets more time, and only API tokens see it', async () => {
  await using receiver = await startReceiver();
  const made = await ada.createProject({
    ...{ projectName: 'Time', count: 2, sharedLinkEnabled: true, maxDurationSec: 1, webhookUrl: receiver.url },
    recipients: [{ reference: 'T-1', timeFactor: 3 }, { reference: 'T-2' }],
  });
  fits(made, 'ProjectCreated');
  const at = `/api/projects/${made.projectId}`;
  const [slow, plain] = made.recipientUrls as Links & [Links[0], Links[0]];
  assert.deepEqual([slow.timeFactor, plain.timeFactor, made.sharedLink!.timeFactor], [3, null, null]);

  const responseSessionId = await beginResponse(slow.recipientUrl);
  assert.match(await page(slow.recipientUrl), /"maxDurationSec":3,/);
  await sendClip(slow.recipientUrl, fiveSeconds, { responseSessionId });
  const short = await beginResponse(plain.recipientUrl);
  const refusal = sendClip(plain.recipientUrl, fiveSeconds, { responseSessionId: short });
  await assert.rejects(refusal, /422 .*at most 1 seconds/);

  const csv = (body: string): Request => ({ method: 'POST', body, headers: { 'content-type': 'text/csv' } });
  const added = ok(await ada.ask(`${at}/links`, csv('reference;timeFactor\nT-3;2,5\n')));
  fits(added, 'LinksAdded');
  assert.equal(added.links[0].timeFactor, 2.5);
  const wrong = refused(await ada.ask(`${at}/links`, csv('reference,timeFactor\nT-4,4\n')), 400);
  assert.match(wrong, /^Line 2: timeFactor must be a number from 1 to 3/);

  const link = `${at}/links/${plain.tokenId}`;
  const changed = ok(await patch(link, { timeFactor: 2 }));
  fits(changed, 'RecipientLink');
  assert.equal(changed.timeFactor, 2);
  assert.equal(ok(await patch(link, { timeFactor: null })).timeFactor, null);
  assert.match(refused(await patch(link, { timeFactor: '2' }), 400), /^timeFactor must be a number/);
  assert.equal(ok(await patch(at, { timeFactor: 2 })).timeFactor, 2);
  assert.match(refused(await patch(at, { timeFactor: 5 }), 400), /^timeFactor must be a number from 1 to 3/);
  fits(ok(await ada.ask(at)), 'ProjectDetail');
  assert.match(await page(made.sharedLink!.recipientUrl), /"maxDurationSec":2,/);

  await receiver.waitFor(1);
  const { pathname } = new URL(made.dashboardUrl);
  const paths = ['export.json', 'export.csv', 'links.csv'].map(file => `${at}/${file}`);
  const shared = ['', '/export.json', '/overview', '/links'].map(path => pathname + path);
  const answers = await Promise.all([...paths, ...shared, '/api/events?limit=200'].map(path => ada.ask(path)));
  for (const answer of answers) assert.equal(answer.status, 200);
  const texts = [...answers.map(answer => answer.text()), ...receiver.received.map(({ body }) => body.toString())];
  for (const text of texts) assert.doesNotMatch(text, /timeFactor/i);
});

test('a script is read at its link, and a response keeps the one with which it began', async () => {
  const text = '- Your first visit\n\n- Bread & 語';
  const made = await ada.createProject({ projectName: 'Script', count: 2, script: text });
  const at = `/api/projects/${made.projectId}`;
  const [begun, open] = made.recipientUrls.map(({ recipientUrl }) => recipientUrl) as [string, string];
  const scriptOf = (link: string, query = '') => ada.ask(`${new URL(link).pathname}/script${query}`);
  assert.equal((await scriptOf(open)).text(), text);
  const { state, openedAt } = (ok(await ada.ask(`${at}/links`)).recipientUrls as Links)[1]!;
  assert.deepEqual([state, openedAt], ['invited', null], 'reading it claims nothing');
  const responseSessionId = await beginResponse(begun);
  const response = ok(await ada.ask(`${new URL(begun).pathname}/responses/${responseSessionId}`));
  assert.equal(response.hasScript, true);
  assert.equal(ok(await patch(at, { script: 'Another' })).script, 'Another');
  assert.equal((await scriptOf(begun, `?responseSessionId=${responseSessionId}`)).text(), text);
  assert.equal((await scriptOf(begun)).text(), text, 'its own link continues the response');
  assert.equal((await scriptOf(open)).text(), 'Another');
  assert.equal(ok(await ada.ask(`${at}/export.json`)).project.script, 'Another');
  assert.match(refused(await patch(at, { script: 'x'.repeat(20_001) }), 400), /^script must have at most 20000/);
  ok(await patch(at, { script: '' }));
  refused(await scriptOf(open), 404, 'not_found');
});

test('a way to answer that the project does not allow is refused; a clip says how it was answered', async () => {
  await using receiver = await startReceiver();
  const made = await ada.createProject({
    ...{ projectName: 'Ways', count: 3, answerModes: ['audio', 'video'], webhookUrl: receiver.url },
  });
  assert.deepEqual(ok(await ada.ask(`/api/projects/${made.projectId}`)).answerModes, ['audio', 'video']);
  const at = `/api/projects/${made.projectId}`;
  const [one, two] = made.recipientUrls.map(({ recipientUrl }) => recipientUrl) as [string, string];
  const responseSessionId = await beginResponse(one);
  const bytes = { length: fiveSeconds.bytes.length, body: fiveSeconds.bytes };
  const upload = async (metadata: Record<string, string | number>) =>
    (await createUpload(`${one}/uploads`, { metadata: { responseSessionId, ...metadata }, ...bytes })).response;
  for (const [metadata, sentence] of [
    [{ answerMode: 'file' }, /answerMode must be audio or video for this link, not file\.$/],
    [{}, /answerMode must be audio or video for this link\.$/],
  ] as const) {
    const answer = await upload(metadata);
    assert.deepEqual([answer.status, answer.headers.get('error-code')], [400, 'answer_mode_refused']);
    assert.match(((await answer.json()) as { error: string }).error, sentence);
  }
  assert.match(((await (await upload({ signed: 'yes' })).json()) as { error: string }).error, /signed must be true or/);
  const audio = await sendClip(one, fiveSeconds, { responseSessionId, answerMode: 'audio' });
  const second = { responseSessionId: await beginResponse(two), answerMode: 'video', signed: true } as const;
  const signed = await sendClip(two, fiveSeconds, second);
  const shown = async (id: string) => {
    const clip = ok(await ada.ask(`${at}/submissions/${id}`));
    fits(clip, 'Submission');
    return [clip.answerMode, clip.signed];
  };
  assert.deepEqual(await Promise.all([audio, signed].map(shown)), [
    ['audio', false],
    ['video', true],
  ]);
  const [header, first] = (await ada.ask(`${at}/export.csv`)).text().split('\r\n');
  assert.match(header!, /,answerMode,signed$/);
  assert.match(first!, /,"audio",false$/);
  const events = (await receiver.waitFor(2)).map(({ body }) => JSON.parse(body.toString()).data.submission);
  assert.deepEqual(events.map(({ answerMode }) => answerMode).sort(), ['audio', 'video']);
  assert.match(refused(await patch(at, { answerModes: [] }), 400), /^answerModes /);
  assert.match(refused(await patch(at, { answerModes: ['text'] }), 400), /^answerModes\[0\] /);
});

test('a client that says nothing about the way may answer a usual project', async () => {
  const made = await ada.createProject({ projectName: 'Usual', count: 1 });
  const link = made.recipientUrls[0]!.recipientUrl;
  const id = await sendClip(link, fiveSeconds, { responseSessionId: await beginResponse(link) });
  const clip = ok(await ada.ask(`/api/projects/${made.projectId}/submissions/${id}`));
  assert.deepEqual([clip.answerMode, clip.signed], [null, false]);
});
