import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import type { ProjectSettings } from '@recording-request/proto/projects/v1/projects';
import { projectSettings } from '@recording-request/testing/project-settings';
import { OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const SCRIPT = '- Your first visit\n- <b>Bread</b> & 語';
const SESSION = '0f8b2c6e-3d51-4a77-9a55-1c2f6b7d8e90';
const token = mintToken('vr');
let harness: TestGateway;
let found: { status: number; projectClosed?: boolean; settings: ProjectSettings; underWay?: object };
let claims = 0;

before(async () => {
  harness = await startTestGateway({
    projects: {
      resolveRecipient: async ({ withResponse }) => {
        const { underWay, ...rest } = found;
        const link = { linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 1 };
        return { ...link, ...rest, ...(withResponse && { underWay }) } as never;
      },
      getResponse: async ({ responseSessionId }) => {
        if (responseSessionId !== SESSION) throw new DomainError('not_found', 'There is no such response.');
        const ids = { responseSessionId, linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID };
        const settings = projectSettings({ script: 'As it was begun' });
        return { response: { ...ids, settings, answers: [], complete: false, held: true } };
      },
      beginResponse: async () => {
        claims++;
        return {} as never;
      },
    },
  });
});
after(() => harness[Symbol.asyncDispose]());

const ask = (query = '', at = token) => fetch(`${harness.base}/r/${at}/script${query}`);
const refused = async (answer: Response) => [
  answer.status,
  answer.headers.get('error-code'),
  ((await answer.json()) as { error: string }).error,
];
const ACTIVE = 1;

test('the script is text that nobody stores, and opening it claims nothing', async () => {
  found = { status: ACTIVE, settings: projectSettings({ script: SCRIPT }) };
  const answer = await ask();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await answer.text(), SCRIPT);
  const page = await (await fetch(`${harness.base}/r/${token}`)).text();
  assert.doesNotMatch(page, /first visit/, 'the page does not weigh more');
  assert.equal(claims, 0);
});

test('a response keeps its script', async () => {
  found = { status: ACTIVE, settings: projectSettings({ script: SCRIPT }) };
  assert.equal(await (await ask(`?responseSessionId=${SESSION.toUpperCase()}`)).text(), 'As it was begun');
  const ids = { responseSessionId: SESSION, linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID };
  const underWay = { ...ids, answers: [], complete: false, held: true };
  found = { ...found, status: 3, underWay: { ...underWay, settings: projectSettings({ script: 'Under way' }) } };
  assert.equal(await (await ask()).text(), 'Under way');
});

test('without a script, an unknown link or response, or at an ended link, there is none', async () => {
  const none = 'This recording link has no script.';
  found = { status: ACTIVE, settings: projectSettings() };
  assert.deepEqual(await refused(await ask()), [404, 'not_found', none]);
  assert.equal((await ask('', 'vr_nonsense')).status, 404);
  assert.equal((await ask(`?responseSessionId=${SESSION.replace('0', '1')}`)).status, 404);
  const settings = projectSettings({ script: SCRIPT });
  const ENDS: [state: Omit<typeof found, 'settings'>, code: string][] = [
    [{ status: 2 }, 'link_expired'],
    [{ status: 2, projectClosed: true }, 'project_closed'],
    [{ status: 3 }, 'link_used'],
    [{ status: 4 }, 'link_disabled'],
  ];
  for (const [state, code] of ENDS) {
    found = { ...state, settings };
    const [status, word, sentence] = await refused(await ask());
    assert.deepEqual([status, word], [410, code]);
    assert.match(String(sentence), /^This .*\.$/);
    assert.equal((await ask(`?responseSessionId=${SESSION}`)).status, 200, 'a response that has begun continues');
  }
});

test('a wrong query is named', async () => {
  found = { status: ACTIVE, settings: projectSettings({ script: SCRIPT }) };
  const [status, , sentence] = await refused(await ask('?responseSessionId=x'));
  assert.equal(status, 400);
  assert.match(String(sentence), /^responseSessionId /);
  const [unknown, , named] = await refused(await ask('?lang=de'));
  assert.equal(unknown, 400);
  assert.match(String(named), /lang/);
});
