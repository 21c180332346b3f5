import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  type AddLinksRequest,
  type CreateProjectRequest,
  type Link,
  LinkStatus,
  LinkType,
  type ListLinksRequest,
  OnDuplicate,
  PersonState,
  type UpdateLinkRequest,
} from '@recording-request/proto/projects/v1/projects';
import { asProject, OWNER_ID, PROJECT_ID, startTestGateway } from './test-service.ts';

const harness = await startTestGateway();
after(() => harness[Symbol.asyncDispose]());

const at = new Date('2026-01-02T03:04:05.006Z');
const dueAt = new Date('2026-03-20T17:00:00Z');
const ANA = { name: 'Ana', reference: 'P-1', email: 'ana@example.org', locale: 'pt-BR', verified: true };
const idOf = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const linkAt = (index: number, more: Partial<Link> = {}): Link => ({
  linkId: idOf(index),
  token: `vr_${String(index).padStart(38, '0')}`,
  linkType: LinkType.LINK_TYPE_UNIQUE,
  status: LinkStatus.LINK_STATUS_ACTIVE,
  maxUses: 1,
  submissionCount: 0,
  remainingUses: 1,
  createdAt: at,
  ...more,
});

interface Calls {
  added: AddLinksRequest[];
  created: CreateProjectRequest[];
  listed: ListLinksRequest[];
  updated: UpdateLinkRequest[];
  touched: string[];
}
let calls: Calls;
/** The positions of the duplicates in the next addition. */
let duplicates: number[] = [];
/** The number of videos by which the allowance is too small in the next dry run. */
let missing: number | undefined;

beforeEach(() => {
  calls = { added: [], created: [], listed: [], updated: [], touched: [] };
  duplicates = [];
  missing = undefined;
  harness.behind.accounts = {
    getUser: async () => ({
      user: { userId: OWNER_ID, userName: 'Ada', videoLimit: 9, videosReserved: 2, createdAt: at },
    }),
  };
  harness.behind.projects = {
    getProject: async () => ({ projectName: 'Stories', project: asProject() }),
    async createProject(request) {
      calls.created.push(request);
      const uniqueLinks = Array.from({ length: request.count }, (_, index) => linkAt(index));
      const user = { userId: OWNER_ID, userName: 'Ada', videosReserved: 1, createdAt: at };
      return { project: asProject(), projectToken: 'prj_x', uniqueLinks, user, reservedVideoCount: 1, replayed: false };
    },
    async addLinks(request) {
      calls.added.push(request);
      const refused = request.onDuplicate === OnDuplicate.ON_DUPLICATE_ERROR && duplicates.length > 0;
      const created = refused || request.dryRun ? 0 : request.invitations.length - duplicates.length;
      const links = Array.from({ length: Math.min(created, 500) }, (_, index) => linkAt(index));
      return {
        links,
        created,
        linksCursor: created > 500 ? '500' : undefined,
        duplicates: duplicates.map(index => ({ index, linkId: index === 0 ? '' : idOf(90 + index) })),
        allowanceAfter: missing ? 0 : 4,
        allowanceMissing: missing,
        replayed: false,
      };
    },
    async listLinks(request) {
      calls.listed.push(request);
      const more = { invitation: { person: ANA, metadata: { team: 'Nord; =1+1' }, dueAt }, changedAt: dueAt };
      const sent = { ...more, personState: PersonState.PERSON_STATE_RECORDING, questionCount: 3, submissionCount: 2 };
      const from = Number(request.cursor ?? 0);
      if (request.cursor !== undefined)
        return { uniqueLinks: Array.from({ length: 500 }, (_, index) => linkAt(from + index)), nextCursor: undefined };
      return { uniqueLinks: [linkAt(1, sent), linkAt(2, { personState: PersonState.PERSON_STATE_INVITED })] };
    },
    async updateLink(request) {
      calls.updated.push(request);
      return { link: linkAt(1) };
    },
  };
  harness.behind.submissions = {
    async touchLink({ linkId }) {
      calls.touched.push(linkId);
      return {};
    },
  };
});

const path = `/api/projects/${PROJECT_ID}/links`;
const ask = (where: string, init: RequestInit = {}) =>
  fetch(harness.base + where, { ...init, headers: { ...harness.bearer, ...(init.headers as object) } });
const send = (where: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  ask(where, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
const upload = (where: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  ask(where, { method: 'POST', body, headers: { 'content-type': 'text/csv', ...headers } });

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the body, whatever its shape.
const ok = async (answer: Response): Promise<any> => {
  assert.equal(answer.status, 200, await answer.clone().text());
  return await answer.json();
};
const refused = async (answer: Response, status: number, code = 'value_invalid'): Promise<string> => {
  assert.deepEqual([answer.status, answer.headers.get('error-code')], [status, code], await answer.clone().text());
  return ((await answer.json()) as { error: string }).error;
};

test('a creation names the people of its first links', async () => {
  const { verified: _, ...person } = ANA;
  const recipients = [
    { ...person, metadata: { team: 'N' }, dueAt: '2026-03-20T18:00:00+01:00', timeFactor: 1.5 },
    { name: ' Ben ', email: null },
  ];
  const made = await ok(await send('/api/projects', { projectName: 'x', count: 3, recipients }));
  assert.deepEqual(calls.created[0]!.invitations?.invitations, [
    { person: ANA, metadata: { team: 'N' }, dueAt, timeFactor: 1.5 },
    {
      person: { name: 'Ben', reference: '', email: '', locale: '', verified: true },
      ...{ metadata: {}, dueAt: undefined, timeFactor: undefined },
    },
  ]);
  const shown = made.recipientUrls.map(({ recipient, metadata, state }: Record<string, unknown>) => [
    recipient,
    metadata,
    state,
  ]);
  assert.deepEqual(shown, [
    [ANA, { team: 'N' }, 'invited'],
    [{ name: 'Ben', reference: null, email: null, locale: null, verified: true }, {}, 'invited'],
    [null, {}, 'invited'],
  ]);
});

test('each wrong field of a person is named with its place', async () => {
  const REFUSED: [person: unknown, sentence: RegExp][] = [
    [{ name: 'x'.repeat(201) }, /^recipients\[1\]\.name must have at most 200 characters/],
    [{ reference: 'a\u0000b' }, /^recipients\[1\]\.reference must have .*no control characters/],
    [{ email: 'ana' }, /^recipients\[1\]\.email must be an email address/],
    [{ email: `${'x'.repeat(65)}@a.b` }, /^recipients\[1\]\.email must/],
    [{ locale: 'pt_BR' }, /^recipients\[1\]\.locale must be a language tag such as de, pt-BR or zh-Hant/],
    [{ dueAt: 'tomorrow' }, /^recipients\[1\]\.dueAt must be a time with its zone/],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, /^recipients\[1\]\.metadata must have names of 1 to 40 characters/],
    [JSON.parse('{"metadata":{"__proto__":"v"}}'), /^recipients\[1\]\.metadata must have names/],
    [{ metadata: { k: 'v'.repeat(501) } }, /^recipients\[1\]\.metadata\.k must have at most 500 characters/],
    [{ metadata: { k: 1 } }, /^recipients\[1\]\.metadata\.k must/],
    [
      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, ''])) },
      /^recipients\[1\]\.metadata must be an object with at most 20 texts/,
    ],
    [{ colour: 'red' }, /^recipients\[1\]\."colour" is not a field/],
    ['Ana', /^recipients\[1\] must be a JSON object/],
  ];
  for (const [person, sentence] of REFUSED)
    assert.match(
      await refused(await send('/api/projects', { projectName: 'x', count: 2, recipients: [{}, person] }), 400),
      sentence,
    );
  const tooMany = { projectName: 'x', count: 1, recipients: [{}, {}] };
  assert.equal(
    await refused(await send('/api/projects', tooMany), 400),
    'count must be at least the number of recipients, 2.',
  );
  assert.equal(calls.created.length, 0);
});

test('links are added from JSON and from a CSV file, with the same result', async () => {
  const json = await ok(
    await send(path, { links: [{ name: 'Ana', reference: 'P-1' }, {}] }, { 'idempotency-key': 'k' }),
  );
  assert.deepEqual([json.projectId, json.created, json.skipped], [PROJECT_ID, 2, []]);
  assert.deepEqual([json.links[0].recipient.reference, json.links[1].recipient], ['P-1', null]);
  const [first] = calls.added;
  assert.deepEqual(
    [first!.idempotencyKey, first!.dryRun, first!.onDuplicate],
    ['k', false, OnDuplicate.ON_DUPLICATE_ERROR],
  );
  const file = 'name;reference;meta.team\r\nAna;P-1;\r\n"Ben ""B""";P-2;销售\r\n';
  const utf16 = Buffer.from(`\ufeff${file}`, 'utf16le');
  const hashes = new Set<string>();
  for (const body of [file, `\ufeff${file}`, new Uint8Array(utf16)]) {
    const { links } = await ok(await upload(`${path}?onDuplicate=skip`, body, { 'idempotency-key': 'k' }));
    assert.deepEqual(links[1].metadata, { team: '销售' });
    assert.equal(links[1].recipient.name, 'Ben "B"');
    hashes.add(Buffer.from(calls.added.at(-1)!.bodyHash).toString('hex'));
    assert.equal(calls.added.at(-1)!.onDuplicate, OnDuplicate.ON_DUPLICATE_SKIP);
  }
  assert.equal(hashes.size, 1, 'the encoding of a file does not change its hash');
  assert.ok(!hashes.has(Buffer.from(first!.bodyHash).toString('hex')));
});

test('the answer has every created link, with its own person, and no later link', async () => {
  const links = Array.from({ length: 803 }, (_, index) => ({ reference: `P-${index}` }));
  duplicates = [0, 2, 700];
  const made = await ok(await send(path, { links, onDuplicate: 'skip' }));
  assert.equal(made.created, 800);
  assert.deepEqual(made.skipped, [
    { line: 1, tokenId: null },
    { line: 3, tokenId: idOf(92) },
    { line: 701, tokenId: idOf(790) },
  ]);
  const references = made.links.map(({ recipient }: { recipient: { reference: string } }) => recipient.reference);
  assert.deepEqual(
    references,
    links.filter((_, index) => !duplicates.includes(index)).map(({ reference }) => reference),
  );
});

test('rows with faults create nothing: the first is named, or the file comes back with its errors', async () => {
  const json = { links: [{}, { email: 'x', locale: '_' }, { name: 7 }, 5] };
  assert.match(
    await refused(await send(path, json), 400),
    /^links\[1\]\.email must be an email address .*; 2 more rows are not valid\. Nothing was created\.$/,
  );
  const file = '\ufeffname,email,meta.k\r\nAna,a@b.c,1\r\n"B\nb",nobody,2\r\n=cmd(),c@d.e,3,4\r\n';
  assert.match(await refused(await upload(path, file), 400), /^Line 3: email must be .*; 1 more row is not valid\./);
  const answer = await upload(path, file, { accept: 'text/csv, application/json' });
  assert.deepEqual([answer.status, answer.headers.get('error-code')], [400, 'value_invalid']);
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  const returned = Buffer.from(await answer.arrayBuffer()).toString();
  const rule = 'email must be an email address of at most 320 characters, such as ana@example.org';
  assert.equal(
    returned,
    `\ufeffname,email,meta.k,error\r\nAna,a@b.c,1,\r\n"B\nb",nobody,2,"${rule}"\r\n=cmd(),c@d.e,3,4,"the row has more cells than the header"\r\n`,
  );
  assert.match(await refused(await send(path, json, { accept: 'text/csv' }), 400), /^links/, 'JSON has no file');
  assert.deepEqual(
    calls.added.map(({ dryRun }) => dryRun),
    [true],
    'only the file that comes back was compared with the links',
  );
});

test('a duplicate prevents an addition unless it asks to skip; it is always named', async () => {
  duplicates = [1];
  const file = 'reference\nP-1\n\nP-2\n';
  const sentence = await refused(await upload(path, file), 409, 'recipient_duplicate');
  assert.equal(
    sentence,
    `Line 4: the person has the link ${idOf(91)} already. Nothing was created; onDuplicate=skip leaves duplicates out.`,
  );
  const answer = await upload(path, file, { accept: 'text/csv' });
  assert.equal(answer.status, 409);
  assert.equal(await answer.text(), `reference,error\r\nP-1,\r\nP-2,"the person has the link ${idOf(91)} already"\r\n`);
  duplicates = [0, 1];
  assert.match(
    await refused(await send(path, { links: [{}, {}] }), 409, 'recipient_duplicate'),
    /^links\[0\]: an earlier row has the same person; 1 more row is a duplicate\./,
  );
});

test('a file that is refused for its faults names its duplicates too, unless they may be skipped', async () => {
  duplicates = [1];
  const file = 'reference,email\nP-1,\nP-2,x\nP-3,\n';
  const errorsOf = async (query: string) => {
    const answer = await upload(path + query, file, { accept: 'text/csv', 'idempotency-key': 'k' });
    assert.equal(answer.status, 400);
    return (await answer.text()).split('\r\n').map(line => line.replace(/^[^,]*,[^,]*,/, ''));
  };
  const invalid = '"email must be an email address of at most 320 characters, such as ana@example.org"';
  const duplicate = `"the person has the link ${idOf(91)} already"`;
  assert.deepEqual(await errorsOf(''), ['error', '', invalid, duplicate, '']);
  assert.deepEqual(
    calls.added.map(({ dryRun, idempotencyKey }) => [dryRun, idempotencyKey]),
    [[true, '']],
    'nothing was created',
  );
  assert.deepEqual(await errorsOf('?onDuplicate=skip'), ['error', '', invalid, '', '']);
});

test('a dry run beyond the allowance still lists the faults, and says how much is missing', async () => {
  missing = 3;
  const { valid, invalid, allowanceAfter } = await ok(await upload(`${path}?dryRun=true`, 'name,email\nAna,\nBen,x\n'));
  assert.deepEqual([valid, invalid.length, allowanceAfter], [1, 1, -3]);
});

test('a dry run lists all faults and duplicates, and creates nothing', async () => {
  duplicates = [1];
  const file = 'name,email,meta.k\nAna,,\nBen,x,"a\u0000"\nCy,c@d.e,\n';
  assert.deepEqual(await ok(await upload(`${path}?dryRun=true`, file)), {
    valid: 2,
    invalid: [
      {
        line: 3,
        field: 'email',
        reason: 'must be an email address of at most 320 characters, such as ana@example.org',
      },
      {
        line: 3,
        field: 'meta.k',
        reason: 'must have at most 500 characters, and no control characters but white space',
      },
    ],
    duplicates: [{ line: 4, tokenId: idOf(91) }],
    allowanceAfter: 4,
  });
  assert.deepEqual([calls.added[0]!.dryRun, calls.added[0]!.idempotencyKey], [true, '']);
  const all = await ok(await send(`${path}?dryRun=true`, { links: Array.from({ length: 1_500 }, () => 5) }));
  assert.deepEqual([all.valid, all.invalid.length, all.allowanceAfter], [0, 1_000, 7]);
});

test('the answer to a creation shows texts as they are stored, also when they are not well-formed', async () => {
  const links = [{ name: 'A\ud800', metadata: { k: '\udc00' } }];
  const [link] = (await ok(await send(path, { links }))).links;
  const stored = calls.added[0]!.invitations[0]!;
  assert.deepEqual([link.recipient.name, link.metadata], [stored.person?.name, stored.metadata]);
});

test('a file that is refused comes back as CSV only if the client accepts it', async () => {
  for (const accept of ['application/json', '*/*', 'text/csv;q=0, application/json', 'text/csv; q=0.0'])
    await refused(await upload(path, 'email\nx\n', { accept }), 400);
  for (const accept of ['text/csv', 'application/json;q=0, TEXT/CSV;q=0.1'])
    assert.match((await upload(path, 'email\nx\n', { accept })).headers.get('content-type') ?? '', /^text\/csv/);
});

test('a long file costs no warning about too many listeners', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => void warnings.push(warning);
  process.on('warning', keep);
  const rows = Array.from({ length: 800 }, (_, index) => `Ana Ana Ana Ana Ana Ana Ana,P-${index}\n`);
  const { created } = await ok(await upload(path, `name,reference\n${rows.join('')}`));
  process.off('warning', keep);
  assert.deepEqual([created, warnings], [800, []]);
});

test('a body that is not readable as a whole is refused', async () => {
  const REFUSED: [body: unknown, sentence: RegExp][] = [
    [{}, /^links is required/],
    [{ links: [] }, /^links must have at least 1 item\./],
    [{ links: {} }, /^links must be a list/],
    [{ links: Array.from({ length: 10_001 }, () => ({})) }, /^links must have at most 10000 items/],
    [{ links: [{}], onDuplicate: 'merge' }, /^onDuplicate must be one of error, skip/],
    [{ links: [{}], colour: 1 }, /^"colour" is not a field/],
    [null, /^The body must be a JSON object/],
  ];
  for (const [body, sentence] of REFUSED) assert.match(await refused(await send(path, body), 400), sentence);
  assert.match(await refused(await ask(path, { method: 'POST' }), 400), /^The body must be a JSON object/);
  assert.match(await refused(await upload(path, ''), 400), /^The file is empty/);
  assert.match(await refused(await upload(path, 'Ana,P-1\n'), 400), /^The file has no header/);
  assert.match(await refused(await upload(path, new Uint8Array([0x6e, 0xe9])), 400), /^The file is not valid UTF-8/);
  const other = await ask(path, { method: 'POST', body: '<x/>', headers: { 'content-type': 'text/xml' } });
  assert.equal(await refused(other, 415, 'body_not_json'), 'Send the body as application/json or text/csv.');
  assert.match(
    await refused(await upload(path, 'x'.repeat(8 * 1024 ** 2 + 1)), 413, 'body_too_large'),
    /8,388,608 bytes/,
  );
  await refused(await upload('/api/projects', 'name\nAna\n'), 415, 'body_not_json');
  await refused(await upload(`${path}?dryrun=true`, 'name\nAna\n'), 400, 'filter_unknown');
});

test('a list without a parameter has all links; with any it is a page with the filters', async () => {
  const all = await ok(await ask(path));
  assert.deepEqual(Object.keys(all), ['projectId', 'sharedLink', 'recipientUrls']);
  const [{ recipient, metadata, dueAt: due, changedAt, state, answersSent, questionCount }, plain] = all.recipientUrls;
  assert.deepEqual(
    [recipient, metadata.team, due, changedAt],
    [ANA, 'Nord; =1+1', dueAt.toISOString(), dueAt.toISOString()],
  );
  assert.deepEqual([state, answersSent, questionCount], ['recording', 2, 3]);
  assert.deepEqual([plain.recipient, plain.metadata, plain.answersSent, plain.questionCount], [null, {}, null, null]);
  const page = await ok(await ask(`${path}?state=recording&reference=P-1&changedAfter=2026-01-01T00:00:00Z&limit=7`));
  assert.deepEqual(page.pagination, { nextCursor: null });
  const { personState, reference, changedAfter, pageSize } = calls.listed.at(-1)!;
  assert.deepEqual([personState, reference, pageSize], [PersonState.PERSON_STATE_RECORDING, 'P-1', 7]);
  assert.deepEqual(changedAfter, new Date('2026-01-01T00:00:00Z'));
  for (const [query, name] of [
    ['limit=501', 'limit'],
    ['state=done', 'state'],
    ['reference=', 'reference'],
    ['changedAfter=x', 'changedAfter'],
    ['cursor=', 'cursor'],
  ])
    assert.match(await refused(await ask(`${path}?${query}`), 400), new RegExp(`^${name} must`));
});

test('links.csv is a table for a mail merge, with the filters of the list', async () => {
  const answer = await ask(`/api/projects/${PROJECT_ID}/links.csv?state=recording&bom=1`);
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="Stories - links.csv"/);
  const lines = Buffer.from(await answer.arrayBuffer())
    .toString()
    .split('\r\n');
  assert.equal(
    lines[0],
    '\ufeffname,reference,email,locale,recipientUrl,state,dueAt,tokenId,metadata,remindersSent,remindersStopped',
  );
  const url = `https://rec.example/r/${linkAt(1).token}`;
  assert.equal(
    lines[1],
    `"Ana","P-1","ana@example.org","pt-BR","${url}","recording","${dueAt.toISOString()}","${idOf(1)}","{""team"":""Nord;' =1+1""}",0,"false"`,
  );
  assert.match(lines[2]!, /^,,,,"https:/);
  assert.equal(calls.listed.at(-1)!.personState, PersonState.PERSON_STATE_RECORDING);
  harness.behind.projects!.listLinks = undefined as never;
  await refused(await ask(`/api/projects/${PROJECT_ID}/links.csv`), 404, 'not_found');
});

test('a change of a link states only its fields, and a change of its person touches its clips', async () => {
  const patch = (body: unknown) => send(`${path}/${idOf(1)}`, body, {}, 'PATCH');
  for (const body of [{}, { disabled: true }]) await ok(await patch(body));
  assert.equal(calls.updated[1]!.remindersStopped, undefined);
  assert.deepEqual([calls.updated[1]!.disabled, calls.updated[1]!.personChange, calls.touched], [true, undefined, []]);
  await ok(await patch({ recipient: { name: 'Ana', reference: null }, metadata: {}, dueAt: '2026-03-20T17:00:00Z' }));
  const { disabled, personChange, metadata, dueChange } = calls.updated[2]!;
  assert.equal(disabled, undefined);
  assert.deepEqual(personChange, { $case: 'person', value: { ...ANA, reference: '', email: '', locale: '' } });
  assert.deepEqual([metadata, dueChange], [{ metadata: {} }, { $case: 'dueAt', value: dueAt }]);
  for (const body of [
    { recipient: null, dueAt: null },
    { recipient: { name: '' }, dueAt: null },
  ]) {
    await ok(await patch(body));
    const change = calls.updated.at(-1)!;
    assert.deepEqual(
      [change.personChange, change.dueChange],
      [
        { $case: 'noPerson', value: true },
        { $case: 'noDue', value: true },
      ],
    );
  }
  assert.deepEqual(calls.touched, [idOf(1), idOf(1), idOf(1)]);
  await ok(await patch({ remindersStopped: false }));
  assert.deepEqual([calls.updated.at(-1)!.remindersStopped, calls.touched.length], [false, 3], 'no clip changes');
  assert.match(await refused(await patch({ remindersStopped: null }), 400), /^remindersStopped must be/);
  assert.match(await refused(await patch({ recipient: { email: 'x' } }), 400), /^recipient\.email must be an email/);
  assert.match(await refused(await patch({ recipient: { metadata: {} } }), 400), /^recipient\."metadata" is not/);
  assert.match(await refused(await patch({ metadata: null }), 400), /^metadata must/);
});
