/** Tests people on links through HTTP only: creation, import, change, lists and the table for a mail merge. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { type Answer, ok, type Request, refused } from '@recording-request/harness/http-client';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { type Owner, startTestSystem } from '@recording-request/testing/test-system';
import { fits } from './harness/fits.ts';
import { readCsv } from './harness/python.ts';

const system = await startTestSystem();
after(() => system[Symbol.asyncDispose]());

const DUE = '2040-03-20T17:00:00.000Z';
const ANA = { name: 'Ana Sousa', reference: 'P-1', email: 'ana@example.org', locale: 'pt-BR' };
let ada: Owner;
let bob: Owner;
let project: ProjectCreatedJson;
let path: string;

before(async () => {
  [ada, bob] = await Promise.all([system.newOwner('Ada', 30_000), system.newOwner('Bob')]);
  const recipients = [
    { ...ANA, metadata: { team: 'North' }, dueAt: DUE },
    { name: 'عمر', reference: 'P-2' },
  ];
  project = await ada.createProject({ projectName: 'People', count: 3, sharedLinkEnabled: true, recipients });
  path = `/api/projects/${project.projectId}/links`;
});

interface LinkJson {
  tokenId: string;
  recipient: { reference: string | null; name: string | null } | null;
}
const referencesOf = (links: LinkJson[]) => links.map(({ recipient }) => recipient?.reference ?? null);
const list = async (query = '') => ok(await ada.ask(path + query)).recipientUrls as LinkJson[];
const post = (query: string, request: Request, owner = ada): Promise<Answer> =>
  owner.ask(path + query, { method: 'POST', ...request });
const upload = (
  file: string | Uint8Array<ArrayBuffer>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) => post(query, { body: file, headers: { 'content-type': 'text/csv', ...headers } });
const empty = () => ada.createProject({ projectName: 'Empty', count: 1 });

test('a creation names the people of its first links, and the list shows them', async () => {
  fits(project, 'ProjectCreated');
  const [first, second, third] = project.recipientUrls;
  assert.deepEqual(first!.recipient, { ...ANA, verified: true });
  assert.deepEqual([first!.metadata, first!.dueAt, first!.state], [{ team: 'North' }, DUE, 'invited']);
  assert.equal(second!.recipient?.name, 'عمر');
  assert.deepEqual([third!.recipient, third!.metadata, third!.dueAt], [null, {}, null]);
  const shown = ok(await ada.ask(path));
  fits(shown, 'ProjectLinks');
  assert.deepEqual(shown.recipientUrls[0].recipient, first!.recipient);
  assert.equal(shown.sharedLink.state, null);
});

test('wrong people create no project', async () => {
  const create = (body: object) => ada.ask('/api/projects', { method: 'POST', json: { projectName: 'x', ...body } });
  const count = ok(await ada.ask('/api/projects')).projects.length;
  const people = [ANA, {}, {}, { email: 'ana at home' }];
  assert.match(
    refused(await create({ count: 4, recipients: people }), 400, 'value_invalid'),
    /^recipients\[3\]\.email must /,
  );
  assert.match(refused(await create({ count: 1, recipients: [{}, {}] }), 400), /^count must be at least .* 2\.$/);
  const longest = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${'k'.repeat(38)}${10 + index}`, '語'.repeat(500)]),
  );
  const recipients = [{ name: '語'.repeat(200), reference: 'ü'.repeat(200), metadata: longest }];
  const made = ok(await create({ count: 1, recipients })) as ProjectCreatedJson;
  assert.deepEqual(made.recipientUrls[0]!.metadata, longest, 'the longest texts');
  assert.equal(ok(await ada.ask('/api/projects')).projects.length, count + 1);
});

test('people come in from JSON and CSV, in every form that spreadsheets write', async () => {
  const added = ok(await post('', { json: { links: [{ reference: 'J-1', metadata: { a: 'b' } }, {}] } }));
  fits(added, 'LinksAdded');
  assert.deepEqual([added.created, referencesOf(added.links)], [2, ['J-1', null]]);
  const rows = (start: string, separator: string, end: string) =>
    [
      ['name', 'reference', 'email', 'meta.team'],
      ['"O""Neil; Ana, the\n2nd"', `${start}-1`, `${start}@example.org`, '=SUM(1)'],
      ['李雷', `${start}-2`, '', ''],
      ['عمر', `${start}-3`, '', '销售'],
    ]
      .map(cells => cells.join(separator))
      .join(end);
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const FILES: [start: string, bytes: Uint8Array<ArrayBuffer>][] = [
    ['A', Buffer.from(rows('A', ',', '\n'))],
    ['B', Buffer.from(`\ufeff${rows('B', ';', '\r\n')}\r\n;;;\r\n`)],
    ['C', utf16(rows('C', '\t', '\r\n'))],
    ['D', utf16(rows('D', ';', '\r\n')).swap16()],
  ];
  for (const [start, bytes] of FILES) {
    const made = ok(await upload(bytes));
    fits(made, 'LinksAdded');
    assert.deepEqual(
      referencesOf(made.links),
      [1, 2, 3].map(index => `${start}-${index}`),
    );
    assert.equal(made.links[0].recipient.name, 'O"Neil; Ana, the\n2nd');
    assert.deepEqual(
      made.links.map(({ metadata }: { metadata: object }) => metadata),
      [{ team: '=SUM(1)' }, {}, { team: '销售' }],
    );
    const found = await list(`?reference=${start}-3`);
    assert.equal(found.length, 1);
    assert.equal(found[0]!.recipient!.name, 'عمر');
  }
});

test('a file that is not a table of people is refused with its reason, and creates nothing', async () => {
  const before = (await list()).length;
  const wide = `meta.${'x'.repeat(20)}`;
  const FILES: [file: string | Uint8Array<ArrayBuffer>, sentence: RegExp][] = [
    ['', /^The file is empty/],
    ['Ana,P-1,ana@example.org\n', /^The file has no header/],
    ['name,phone\nAna,1\n', /^"phone" is not a column/],
    ['name,name\nAna,Ana\n', /^The header names the column "name" twice/],
    [`name,${Array.from({ length: 21 }, (_, i) => `${wide}${i}`).join()}\nAna\n`, /at most 20/],
    ['name,email\nAna,a@b.c\nBen,b@c.d,extra\n', /^Line 3: the row has more cells than the header\. Nothing/],
    ['name,email\n"A\nna",a@b.c\n\nBen,nobody\n', /^Line 5: email must be an email address/],
    ['name\nA\u0000na\n', /^Line 2: name must have .*no control characters/],
    ['name\n"Ana\n', /^Line 2: a cell has no closing quote/],
    [`name\n${'x\n'.repeat(10_001)}`, /^The file has more than 10,000 rows/],
    [`name\n${','.repeat(1_000_000)}\n`, /^Line 2: the row has far more cells than the header/],
    [','.repeat(8 * 1024 ** 2), /^The file has no header|far more/],
    [Buffer.from('name\nJos\xe9\n', 'latin1'), /^The file is not valid UTF-8 or UTF-16/],
  ];
  for (const [file, sentence] of FILES) assert.match(refused(await upload(file), 400, 'value_invalid'), sentence);
  assert.match(refused(await upload(' '.repeat(8 * 1024 ** 2 + 1)), 413, 'body_too_large'), /8,388,608 bytes/);
  const xml = { body: '<x/>', headers: { 'content-type': 'text/xml' } };
  assert.match(refused(await post('', xml), 415), /application\/json or text\/csv/);
  assert.equal((await list()).length, before);
});

test('a refused file comes back with its errors; corrected, it is accepted', async () => {
  const file = 'reference;email\r\nE-1;e1@example.org\r\nE-2;nobody\r\n';
  const answer = await upload(file, { headers: { accept: 'text/csv' } });
  assert.deepEqual([answer.status, answer.type, answer.headers.get('error-code')], [400, 'text/csv', 'value_invalid']);
  assert.match(
    answer.text(),
    /^reference;email;error\r\nE-1;e1@example.org;\r\nE-2;nobody;"email must be an email .*"\r\n$/,
  );
  const made = ok(await upload(answer.text().replace('nobody', 'e2@example.org')));
  assert.deepEqual(referencesOf(made.links), ['E-1', 'E-2']);
  const again = await upload(file, { headers: { accept: 'text/csv' } });
  assert.equal(again.status, 400);
  assert.match(again.text(), /\r\nE-1;e1@example.org;"the person has the link [-\w]+ already"\r\nE-2;nobody;"email /);
});

test('a dry run lists faults and duplicates and creates nothing', async () => {
  const before = await list();
  const { remainingVideos } = ok(await ada.ask('/api/me'));
  const file = 'reference,email,dueAt\nP-1,,\nF-1,x,soon\nF-2,,\nF-2,,\n,F@example.org,\n,f@example.ORG,\n';
  const checked = ok(await upload(file, { query: '?dryRun=true' }));
  fits(checked, 'LinksChecked');
  assert.equal(checked.valid, 5);
  assert.deepEqual(
    checked.invalid.map(({ line, field }: { line: number; field: string }) => [line, field]),
    [
      [3, 'email'],
      [3, 'dueAt'],
    ],
  );
  const ana = project.recipientUrls[0]!.tokenId;
  assert.deepEqual(checked.duplicates, [
    { line: 2, tokenId: ana },
    { line: 5, tokenId: null },
    { line: 7, tokenId: null },
  ]);
  assert.equal(checked.allowanceAfter, remainingVideos - 2);
  const json = { links: [{ reference: 'P-1' }, { email: 'x' }] };
  const fromJson = ok(await post('?dryRun=true', { json }));
  assert.deepEqual([fromJson.duplicates, fromJson.invalid[0].line], [[{ line: 1, tokenId: ana }], 2]);
  assert.equal(ok(await bob.ask('/api/me')).remainingVideos, null);
  assert.deepEqual(await list(), before);
});

test('duplicates prevent an addition, or are skipped by name', async () => {
  const { projectId, recipientUrls } = await empty();
  const links = `/api/projects/${projectId}/links`;
  const send = (json: unknown) => ada.ask(links, { method: 'POST', json });
  const [made] = ok(await send({ links: [{ reference: 'G-1', email: 'g@example.org' }] })).links;
  const again = [
    { reference: 'G-1' },
    { reference: 'G-2' },
    { reference: 'G-2', name: 'again' },
    { email: 'g@example.org' },
  ];
  const sentence = refused(await send({ links: again }), 409, 'recipient_duplicate');
  assert.match(
    sentence,
    new RegExp(`^links\\[0\\]: the person has the link ${made.tokenId} already; 1 more row is a duplicate`),
  );
  assert.equal(ok(await ada.ask(links)).recipientUrls.length, recipientUrls.length + 1);
  const added = ok(await send({ links: again, onDuplicate: 'skip' }));
  fits(added, 'LinksAdded');
  assert.deepEqual(added.skipped, [
    { line: 1, tokenId: made.tokenId },
    { line: 3, tokenId: null },
  ]);
  assert.deepEqual(referencesOf(added.links), ['G-2', null]);
  const patch = { method: 'PATCH', json: { recipient: { reference: 'G-2' } } };
  assert.match(refused(await ada.ask(`${links}/${made.tokenId}`, patch), 400), /^recipient: /);
});

test('a repeated request with the same key answers the same, and another body is 422', async () => {
  const { projectId } = await empty();
  const links = `/api/projects/${projectId}/links`;
  const headers = { 'idempotency-key': `key ${projectId}` };
  const body = {
    links: Array.from({ length: 700 }, (_, index) => ({ reference: `H-${index}`, name: `Person ${index}` })),
  };
  const send = (json: unknown) => ada.ask(links, { method: 'POST', json, headers });
  const first = ok(await send(body));
  assert.equal(first.links.length, 700);
  const [{ tokenId }] = first.links;
  ok(await ada.ask(`${links}/${tokenId}`, { method: 'PATCH', json: { recipient: { name: 'changed' } } }));
  ok(await ada.ask(links, { method: 'POST', json: { links: [{ reference: 'later' }] } }));
  const again = await send(body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(ok(again), first);
  refused(await send({ links: [{ reference: 'other' }] }), 422, 'idempotency_key_reused');
  const created = `creation ${projectId}`;
  const creation = { projectName: 'Again', count: 1, recipients: [{ name: 'Ana' }] };
  const create = () =>
    ada.ask('/api/projects', { method: 'POST', json: creation, headers: { 'idempotency-key': created } });
  const one = ok(await create());
  const path = `/api/projects/${one.projectId}/links`;
  ok(await ada.ask(path, { method: 'POST', json: { links: [{}] } }));
  assert.deepEqual(ok(await create()).recipientUrls, one.recipientUrls);
});

test('an addition counts against the allowance', async () => {
  const cleo = await system.newOwner('Cleo', 3);
  const { projectId } = await cleo.createProject({ projectName: 'Small', count: 1 });
  const send = (query: string, count: number) =>
    cleo.ask(`/api/projects/${projectId}/links${query}`, { method: 'POST', json: { links: Array(count).fill({}) } });
  assert.equal(ok(await send('?dryRun=true', 2)).allowanceAfter, 0);
  assert.equal(ok(await send('?dryRun=true', 5)).allowanceAfter, -3);
  refused(await send('', 3), 403, 'allowance_exceeded');
  ok(await send('', 2));
  assert.equal(ok(await cleo.ask('/api/me')).remainingVideos, 0);
});

test('a list has pages and filters, and each person has a state', async () => {
  const { projectId, recipientUrls } = await ada.createProject({
    ...{ projectName: 'States', count: 5, interviewQuestions: ['Who?', 'Why?'] },
    recipients: ['S-0', 'S-1', 'S-2', 'S-3', 'S-4'].map(reference => ({ reference })),
  });
  const links = `/api/projects/${projectId}/links`;
  const page = async (query: string) => {
    const answer = ok(await ada.ask(`${links}${query}`));
    fits(answer, 'LinksPage');
    return answer;
  };
  const [, opened, recording, sent, closed] = recipientUrls;
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
  ok(await ada.ask(`${links}/${closed!.tokenId}`, { method: 'PATCH', json: { disabled: true } }));
  const open = await ada.ask(`/r/${opened!.token}/opened`, { method: 'POST' });
  assert.ok(open.status < 300, open.what);
  const begun = await beginResponse(recording!.recipientUrl);
  await sendClip(recording!.recipientUrl, clip, { responseSessionId: begun, questionIndex: 0 });
  const whole = await beginResponse(sent!.recipientUrl);
  for (const questionIndex of [0, 1])
    await sendClip(sent!.recipientUrl, clip, { responseSessionId: whole, questionIndex });
  const all = ok(await ada.ask(links)).recipientUrls;
  const shown = all.map((link: Record<string, unknown>) => [link.state, link.answersSent, link.questionCount]);
  assert.deepEqual(shown, [
    ['invited', 0, 2],
    ['opened', 0, 2],
    ['recording', 1, 2],
    ['sent', 2, 2],
    ['closed', 0, 2],
  ]);
  for (const [index, state] of ['invited', 'opened', 'recording', 'sent', 'closed'].entries())
    assert.deepEqual(referencesOf((await page(`?state=${state}`)).recipientUrls), [`S-${index}`], state);
  const found: LinkJson[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { recipientUrls: rows, pagination } = await page(`?limit=2${cursor && `&cursor=${cursor}`}`);
    found.push(...rows);
    cursor = pagination.nextCursor;
  }
  assert.deepEqual(found, all);
  const latest = all
    .map(({ changedAt }: { changedAt: string }) => changedAt)
    .sort()
    .at(-1);
  assert.equal((await page(`?changedAfter=${latest}`)).recipientUrls.length, 0);
  ok(await ada.ask(`${links}/${all[0].tokenId}`, { method: 'PATCH', json: { metadata: { seen: 'yes' } } }));
  assert.deepEqual(referencesOf((await page(`?changedAfter=${latest}`)).recipientUrls), ['S-0']);
  assert.equal((await page('?reference=nobody')).recipientUrls.length, 0);
  for (const [query, name] of Object.entries({
    'limit=0': 'limit',
    'limit=501': 'limit',
    'state=gone': 'state',
    'cursor=x': 'cursor',
    'changedAfter=now': 'changedAfter',
  }))
    assert.match(refused(await ada.ask(`${links}?${query}`), 400), new RegExp(`^${name} must`));
  refused(await ada.ask(`${links}?status=active`), 400, 'filter_unknown');
});

test('links.csv opens as a table, and no cell of it is a formula', async () => {
  const { projectId } = await empty();
  const links = `/api/projects/${projectId}/links`;
  const people = Array.from({ length: 600 }, (_, index) => ({ name: `Person ${index}`, reference: `T-${index}` }));
  const odd = {
    name: '=HYPERLINK("http://x")',
    reference: '+49 1',
    email: 'x@example.org',
    locale: 'zh-Hans',
    metadata: { a: '1', b: '"2"' },
    dueAt: DUE,
  };
  ok(await ada.ask(links, { method: 'POST', json: { links: [odd, ...people] } }));
  const answer = await ada.ask(`${links}.csv?bom=1`);
  assert.equal(answer.type, 'text/csv');
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="Empty - links\.csv"/);
  assert.equal(answer.text().charCodeAt(0), 0xfeff);
  const table = await ada.ask(`${links}.csv`);
  assert.ok(answer.bytes.subarray(3).equals(table.bytes));
  const rows = await readCsv(system.scratch, table.bytes);
  const all = ok(await ada.ask(links)).recipientUrls;
  assert.equal(rows.length, 602);
  assert.deepEqual(Object.keys(rows[0]!), [
    'name',
    'reference',
    'email',
    'locale',
    'recipientUrl',
    'state',
    'dueAt',
    'tokenId',
    'metadata',
    'remindersSent',
    'remindersStopped',
  ]);
  assert.deepEqual(
    rows.map(({ recipientUrl }) => recipientUrl),
    all.map(({ recipientUrl }: { recipientUrl: string }) => recipientUrl),
  );
  const [plain, first] = rows;
  assert.deepEqual([plain!.name, plain!.state, plain!.dueAt, plain!.metadata], ['', 'invited', '', '']);
  assert.deepEqual(
    [first!.name, first!.reference, first!.locale, first!.dueAt],
    ['\'=HYPERLINK("http://x")', "'+49 1", 'zh-Hans', DUE],
  );
  assert.deepEqual(JSON.parse(first!.metadata!), { a: '1', b: '"2"' });
  assert.equal((await readCsv(system.scratch, (await ada.ask(`${links}.csv?reference=T-7`)).bytes)).length, 1);
  refused(await ada.ask(`${links}.csv?limit=1`), 400, 'filter_unknown');
});

test('a change shows in the list at once; an omitted field stays', async () => {
  const { tokenId } = project.recipientUrls[1]!;
  const patch = async (json: object) => ok(await ada.ask(`${path}/${tokenId}`, { method: 'PATCH', json }));
  const first = await patch({ dueAt: DUE, metadata: { team: 'South' } });
  fits(first, 'RecipientLink');
  assert.deepEqual([first.recipient.reference, first.dueAt, first.metadata], ['P-2', DUE, { team: 'South' }]);
  const second = await patch({ recipient: { name: 'Omar', reference: 'P-9', locale: 'AR-eg' }, disabled: true });
  assert.deepEqual([second.recipient.locale, second.metadata, second.status], ['ar-EG', { team: 'South' }, 'disabled']);
  assert.deepEqual((await list('?reference=P-9'))[0], second);
  assert.equal((await list('?reference=P-2')).length, 0);
  const last = await patch({ recipient: null, metadata: {}, dueAt: null, disabled: false });
  assert.deepEqual([last.recipient, last.metadata, last.dueAt, last.status], [null, {}, null, 'active']);
  assert.ok(last.changedAt > second.changedAt);
  const shared = `${path}/${project.sharedLink!.tokenId}`;
  assert.match(refused(await ada.ask(shared, { method: 'PATCH', json: { recipient: ANA } }), 400), /shared link/);
  const wrong = { method: 'PATCH', json: { recipient: { email: 'x' } } };
  assert.match(refused(await ada.ask(`${path}/${tokenId}`, wrong), 400), /^recipient\.email must/);
});

test('another owner finds nothing, and a token without the scope may do nothing', async () => {
  const requests: [path: string, request: Request][] = [
    [path, { method: 'POST', json: { links: [{}] } }],
    [`${path}?dryRun=true`, { method: 'POST', json: { links: [{}] } }],
    [`${path}?dryRun=true`, { method: 'POST', json: { links: [5] } }],
    [`${path}?state=sent`, {}],
    [`${path}.csv`, {}],
    [`${path}/${project.recipientUrls[0]!.tokenId}`, { method: 'PATCH', json: { metadata: {} } }],
  ];
  const { secret } = await system.accounts.createToken(ada.userId, { scopes: ['submissions:read'] });
  for (const [at, request] of requests) {
    refused(await bob.ask(at, request), 404, 'not_found');
    refused(await ada.ask(at, { ...request, token: secret }), 403, 'scope_missing');
  }
});

test('no name, reference, email or metadata is in a log', async () => {
  const logs = await system.logs();
  for (const text of ['Ana Sousa', 'ana@example.org', 'عمر', '李雷', 'nobody', 'South'])
    assert.ok(!logs.includes(text), text);
});
