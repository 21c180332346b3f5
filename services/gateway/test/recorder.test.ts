import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { asProject, OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const SESSION = '019a0000-0000-7000-8000-00000000000a';
const token = mintToken('vr');
const other = mintToken('vr');
let harness: TestGateway;
let status = 1;
let projectClosed = false;
let locale: string | undefined;
let completion: { code: string; returnUrl: string } | undefined;
const begun: (string | undefined)[] = [];
let underWay: ReturnType<typeof asResponse> | undefined;

const settings = {
  ...asProject('<b>Tell us</b>').settings,
  interviewQuestions: ['Who?', 'Why?'],
  requestUrl: 'https://example.org/brief?a=1&b=2',
};
const asResponse = (complete = false) => ({
  responseSessionId: SESSION,
  linkId: 'link-1',
  projectId: PROJECT_ID,
  ownerId: OWNER_ID,
  settings,
  answers: [{ questionIndex: 1, submissionId: OWNER_ID }],
  complete,
  held: true,
});

before(async () => {
  let known: Buffer | undefined;
  harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient({ tokenHash, withResponse }) {
          known ??= Buffer.from(tokenHash);
          if (!known.equals(tokenHash)) throw new DomainError('not_found', 'There is no such recording link.');
          return {
            linkId: 'link-1',
            projectId: PROJECT_ID,
            ownerId: OWNER_ID,
            linkType: 2,
            status,
            projectClosed,
            settings,
            ...(withResponse && { underWay, locale }),
          } as never;
        },
        openLink: async () => ({}),
        async beginResponse({ reference }) {
          begun.push(reference);
          return { response: asResponse() };
        },
        getResponse: async ({ withCompletion }) => ({
          response: { ...asResponse(), ...(withCompletion && { completion }) },
        }),
      },
      submissions: {
        listUploads: async () => ({
          uploads: [{ uploadId: 'u1', questionIndex: 0, state: 4, incomplete: false, error: 'Too long.', refusal: 2 }],
        }),
        setResponseNote: async () => ({}),
      },
    },
    {
      RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
    },
  );
  await fetch(`${harness.base}/r/${token}`);
});
after(async () => {
  await harness[Symbol.asyncDispose]();
});

const here = (path = '') => `${harness.base}/r/${token}${path}`;

test('the recording page is HTML, escapes the texts of owners, and sends no Referer', async () => {
  const response = await fetch(here());
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(response.headers.get('vary'), 'accept-language, accept-encoding');
  const page = await response.text();
  assert.match(page, /&lt;b&gt;Tell us&lt;\/b&gt;/);
  assert.doesNotMatch(page, /<b>/);
  assert.match(page, /<a href="https:\/\/example\.org\/brief\?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">/);
  assert.doesNotMatch(page, new RegExp(token));
});

test('the page and the thank-you page begin in the language that the owner stated, unless the contributor picks one', async () => {
  const languages = async () => {
    const paths = ['', '?lang=fr', '/thank-you', '/thank-you?lang=fr'];
    const headers = { 'accept-language': 'de' };
    const pages = await Promise.all(paths.map(path => fetch(here(path), { headers })));
    return pages.map(page => page.headers.get('content-language'));
  };
  assert.deepEqual(await languages(), ['de', 'fr', 'de', 'fr']);
  locale = 'pt-BR';
  try {
    assert.deepEqual(await languages(), ['pt', 'fr', 'pt', 'fr']);
  } finally {
    locale = undefined;
  }
});

test('an unknown link is a friendly 404 page; on the upload interface it is JSON', async () => {
  for (const wrong of [other, 'vr_nonsense']) {
    const page = await fetch(`${harness.base}/r/${wrong}`);
    assert.equal(page.status, 404);
    assert.match(await page.text(), /can’t find this link/);
    const json = await fetch(`${harness.base}/r/${wrong}/responses`, { method: 'POST' });
    assert.equal(json.status, 404);
    assert.deepEqual(Object.keys((await json.json()) as object), ['error']);
  }
});

test('a link with a response under way shows the recorder with the answered questions and the next one', async () => {
  const answers = () => page.match(/class="answered"[^>]*/g)!.map(mark => !/hidden/.test(mark));
  let page = await (await fetch(here())).text();
  assert.deepEqual(answers(), [false, false]);
  status = 3;
  underWay = {
    ...asResponse(),
    settings: { ...settings, interviewQuestions: ['As it was begun?', 'Why?'] },
    answers: [{ questionIndex: 0, submissionId: OWNER_ID }],
  };
  try {
    const answer = await fetch(here());
    assert.equal(answer.status, 200);
    page = await answer.text();
    assert.deepEqual(answers(), [true, false]);
    assert.match(page, /As it was begun\?/);
    assert.match(page, /Next up: question 2 of 2\./);
    assert.doesNotMatch(page, /This link has been used up/);
  } finally {
    underWay = undefined;
  }
  const used = await fetch(here());
  assert.equal(used.status, 410);
  assert.match(await used.text(), /This link has been used up/);
  status = 1;
});

test('the questions that a page left out are those of the response under way, or of the project', async () => {
  const asked = async () => ((await (await fetch(here('/questions'))).json()) as { questions: string[] }).questions;
  assert.deepEqual(await asked(), settings.interviewQuestions);
  underWay = { ...asResponse(), settings: { ...settings, interviewQuestions: ['As it was begun?'] } };
  try {
    assert.deepEqual(await asked(), ['As it was begun?']);
  } finally {
    underWay = undefined;
  }
  assert.equal((await fetch(`${harness.base}/r/${other}/questions`)).status, 404);
});

test('the thank-you page has the message of the owner if there is one, and is always shown', async () => {
  const thanks = async () => {
    const answer = await fetch(here('/thank-you'));
    assert.equal(answer.status, 200);
    return (await answer.text()).match(/<p class="owner-text" dir="auto">(.*?)<\/p>/)?.[1];
  };
  assert.equal(await thanks(), undefined);
  Object.assign(settings, { showSuccessDialog: true, successMessage: 'See <b>you</b>' });
  assert.equal(await thanks(), 'See &lt;b&gt;you&lt;/b&gt;');
  Object.assign(settings, { showSuccessDialog: false });
  assert.equal(await thanks(), undefined);
  assert.equal((await fetch(`${harness.base}/r/${other}/thank-you`)).status, 200);
});

test('the reference in the address stays in the page’s links, and HTML in it stays text', async () => {
  const page = async (query: string) => await (await fetch(here(query))).text();
  assert.doesNotMatch(await page('?ref=P-17'), /P-17/, 'the project keeps none');
  Object.assign(settings, { acceptReference: true });
  try {
    const hostile = '</script><img src=x onerror=alert(1)>"&é';
    const html = await page(`?ref=${encodeURIComponent(hostile)}`);
    assert.doesNotMatch(html, /<img src=x/);
    const stated = /id="settings"[^>]*>(.*?)<\/script>/.exec(html)?.[1] ?? '';
    assert.equal(JSON.parse(stated).reference, hostile);
    const link = /href="(\?lang=de[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    assert.equal(new URLSearchParams(link).get('ref'), hostile);
    for (const bad of ['', 'a%00b', 'a%0ab', 'x'.repeat(201), 'x'.repeat(5_000), '%20', 'a&ref=b'])
      assert.doesNotMatch(await page(`?ref=${bad}`), /&amp;ref=|"reference":"[^"]/, bad.slice(0, 10));
    const touched = await fetch(here(')?ref=P%2017&x=y&lang=de'), { redirect: 'manual' });
    assert.equal(touched.headers.get('location'), `/r/${token}?lang=de&ref=P+17`);
    const [plain, referred] = await Promise.all(
      ['/qr.png', '/qr.png?ref=P-17'].map(async path => Buffer.from(await (await fetch(here(path))).arrayBuffer())),
    );
    assert.notDeepEqual(referred, plain);
    assert.equal((await fetch(here(`/qr.png?ref=${encodeURIComponent('😀'.repeat(200))}`))).status, 200);
    const post = (reference: unknown) =>
      fetch(here('/responses'), {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ reference }),
      });
    assert.equal((await post(hostile)).status, 201);
    assert.equal(begun.at(-1), hostile);
    const refused = await post(`secret\u0000${'x'.repeat(300)}`);
    assert.equal(refused.status, 400);
    assert.doesNotMatch(await refused.text(), /secret/);
  } finally {
    Object.assign(settings, { acceptReference: false });
  }
});

test('the thank-you page leads to the owner’s address once the response is complete', async () => {
  const page = async (query: string) => await (await fetch(here(`/thank-you${query}`))).text();
  const returnUrl = 'https://shop.example/?a=1&b="<b>';
  assert.doesNotMatch(await page(`?response=${SESSION}`), /shop\.example/);
  completion = { code: '7K3F9QXA', returnUrl };
  try {
    const shown = await page(`?lang=fr&response=${SESSION.toUpperCase()}`);
    const button = 'href="https://shop.example/?a=1&amp;b=&quot;&lt;b&gt;">Continuer vers shop.example</a>';
    assert.ok(shown.includes(button), shown);
    assert.ok(shown.includes(`href="?lang=de&amp;response=${SESSION}"`));
    assert.doesNotMatch(await page(''), /shop\.example/);
    const response = (await (await fetch(here(`/responses/${SESSION}`))).json()) as Record<string, unknown>;
    assert.deepEqual([response.completionCode, response.returnUrl], ['7K3F9QXA', returnUrl]);
  } finally {
    completion = undefined;
  }
});

test('a link with text attached by a chat app leads to the link; other addresses lead to a page, never to JSON', async () => {
  const browser = { redirect: 'manual', headers: { accept: 'text/html,*/*;q=0.8' } } as const;
  const program = { redirect: 'manual' } as const;
  for (const attached of [
    '/',
    '//',
    '%',
    '.',
    ')',
    ').',
    ',',
    '%20',
    '>',
    '”',
    '%zz',
    '/.',
    '%22%3E',
    'and',
    `/${'x'.repeat(300)}`,
  ])
    for (const init of /^\/x/.test(attached) ? [browser] : [browser, program, { ...program, method: 'HEAD' }]) {
      const response = await fetch(here(attached), init);
      const { status, headers } = response;
      assert.deepEqual(
        [status, headers.get('location')],
        [302, `/r/${token}`],
        `${attached}: ${await response.text()}`,
      );
      assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer']);
    }
  for (const init of [browser, program])
    for (const capital of [`/R/${token}`, `/R/${token})`])
      assert.equal((await fetch(harness.base + capital, init)).headers.get('location'), `/r/${token}`, capital);
  assert.equal((await fetch(here('/?lang=de&x=y'), browser)).headers.get('location'), `/r/${token}?lang=de`);
  const mistyped = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;
  for (const path of [
    `/r/${mistyped}/`,
    '/r/vr_nonsense%',
    '/R/vr_nonsense',
    '/r',
    '/R?lang=en',
    '/r/%zz',
    '/r/',
    `/r/${mistyped}/uploads/`,
    `/r/${'x'.repeat(300)}`,
  ]) {
    const page = await fetch(harness.base + path, browser);
    assert.ok(page.status === 404 || page.status === 400, `${path}: ${page.status}`);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/, path);
    assert.match(page.headers.get('content-security-policy') ?? '', /nonce-/, path);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(await page.text(), /can’t find this link/, path);
  }
  for (const path of ['/uploads/u1/', '/responses/x/y']) {
    const json = await fetch(here(path), program);
    assert.equal(json.status, 404, path);
    assert.deepEqual(Object.keys((await json.json()) as object), ['error'], path);
  }
});

test('with too many visitors or a service that is down, a visitor gets a page in their language that reloads itself at spread times', async () => {
  const resolveRecipient = async () => {
    throw new DomainError('unavailable', 'The database is not answering.');
  };
  await using gateway = await startTestGateway(
    { projects: { resolveRecipient } },
    { RATE_LIMIT_ADDRESS_PER_MINUTE: '3' },
  );
  const open = (accept: string) =>
    fetch(`${gateway.base}/r/${token}`, { headers: { accept, 'accept-language': 'de-CH, fr;q=0.9' } });
  const seen: Record<number, number[]> = { 429: [], 503: [] };
  for (let visit = 0; visit < 23; visit += 1) {
    const page = await open('text/html');
    const { status, headers } = page;
    const [waits, refresh] = [Number(headers.get('retry-after')), Number(headers.get('refresh'))];
    assert.equal(status, visit < 3 ? 503 : 429);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.deepEqual([headers.get('content-language'), headers.get('cache-control')], ['de', 'no-store']);
    assert.ok(
      waits > 0 && refresh >= waits && refresh <= waits + 25,
      `a retry after ${refresh} s; the service requested ${waits} s`,
    );
    const text = await page.text();
    assert.match(text, new RegExp(`in ${refresh} Sekunden noch einmal`));
    assert.doesNotMatch(text, /<script/);
    seen[status]!.push(refresh - waits);
  }
  assert.ok(new Set(seen[429]).size >= 4, `their retries are spread over some seconds: ${seen[429]}`);
  for (const answer of [await open('*/*'), await fetch(`${gateway.base}/r/${token}/responses`, { method: 'POST' })]) {
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.deepEqual(Object.keys((await answer.json()) as object), ['error'], 'a program gets JSON');
  }
});

test('a link that accepts no new responses is a 410 page that still has the script', async () => {
  let script = '';
  for (const refused of [2, 3, 4]) {
    status = refused;
    const response = await fetch(here());
    assert.equal(response.status, 410);
    script = /\/assets\/recorder-[\w-]+\.js/.exec(await response.text())?.[0] ?? '';
  }
  assert.equal((await fetch(`${harness.base}${script}`)).status, 200);
  projectClosed = true;
  for (const [refused, title] of [
    [2, 'This project is closed'],
    [3, 'This link has been used up'],
    [4, 'This link is closed'],
  ] as const) {
    status = refused;
    assert.match(await (await fetch(here())).text(), new RegExp(`<h1>${title}</h1>`));
  }
  projectClosed = false;
  status = 1;
});

test('a response shows each answer and its uploads', async () => {
  const response = await fetch(here('/responses'), { method: 'POST' });
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), {
    responseSessionId: SESSION,
    maxDurationSec: 120,
    questions: ['Who?', 'Why?'],
    answers: [
      {
        questionIndex: 0,
        submissionId: null,
        uploads: [{ uploadId: 'u1', state: 'refused', incomplete: false, error: 'Too long.', errorCode: 'too_long' }],
      },
      { questionIndex: 1, submissionId: OWNER_ID, uploads: [] },
    ],
    complete: false,
    thankYouUrl: `https://rec.example/r/${token}/thank-you`,
    completionCode: null,
    returnUrl: null,
    hasScript: false,
    answerModes: ['video', 'file'],
  });
  assert.equal((await fetch(here(`/responses/${SESSION}`))).status, 200);
  const note = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
  const path = here(`/responses/${SESSION}`);
  assert.equal((await fetch(path, { ...note, body: '{"note":"hi"}' })).status, 200);
  assert.equal((await fetch(path, { ...note, body: `{"note":"${'x'.repeat(2_001)}"}` })).status, 400);
  assert.equal((await fetch(here('/responses/nonsense'))).status, 400);
  assert.equal((await fetch(here('/opened'), { method: 'POST' })).status, 204);
  assert.equal((await fetch(here('/thank-you'))).status, 200);
});

test('the page that stops reminders names the bodies that it takes', async () => {
  const post = (init: RequestInit) => fetch(`${harness.base}/r/${token}/reminders`, { method: 'POST', ...init });
  for (const type of ['application/json', 'text/plain', 'text/csv']) {
    const answer = await post({ body: '{}', headers: { 'content-type': type } });
    assert.equal(answer.status, 415, type);
    assert.equal(
      (await answer.json()).error,
      'Send the body as application/x-www-form-urlencoded or multipart/form-data.',
    );
  }
  assert.equal((await post({})).status, 400, 'no body');
});
