import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ok, refused } from '@recording-request/harness/http-client';
import type { Owner } from '@recording-request/testing/test-system';
import type { SeedData } from '../harness/seed.ts';

const long = (length: number) => 'x'.repeat(length);
const url = (length: number) => `https://a.example/${long(length - 18)}`;
const NOT_TEXT = [1, true, [], {}, null];
const NOT_FLAG = ['true', 1, 'yes', null];
const whole = (max: number) => ({ good: [1, max], bad: [0, -1, 1.5, '5', max + 1, null, true] });
const flag = { good: [true, false], bad: NOT_FLAG };
const address = {
  good: ['', 'https://a.example', 'http://a.example/x?y#z', url(2048)],
  bad: ['a.example', 'ftp://a.example', 'javascript:alert(1)', '/x', 'https://', url(2049), ...NOT_TEXT],
};
const words = (max: number) => ({ good: ['', long(max)], bad: [long(max + 1), ...NOT_TEXT] });

/** Accepted and refused values of each field, on creation and on update. */
const FIELDS: Record<string, { good: unknown[]; bad: unknown[] }> = {
  projectName: { good: ['x', '  x  ', long(200)], bad: ['', '   ', long(201), ...NOT_TEXT] },
  count: { good: [1, 25], bad: [0, -1, 1.5, '5', 10_001, null, true] },
  expiresInDays: whole(3_650),
  expiresInHours: whole(87_600),
  neverExpire: flag,
  sharedLinkEnabled: flag,
  sharedLinkMaxUses: whole(1_000_000),
  maxDurationSec: whole(600),
  transcriptionEnabled: flag,
  transcriptionLanguage: { good: ['en', 'de', ''], bad: ['xx', 'EN', 'english', 'en-US', 'haw', ...NOT_TEXT] },
  noteEnabled: flag,
  requestUrl: address,
  webhookUrl: address,
  webhookSecret: words(512),
  webhookEvents: {
    good: [[], ['response.completed'], ['submission.erased', 'submission.media.completed', 'submission.media.failed']],
    bad: [['submission.completed'], ['response.completed', 'response.completed'], [1], 'response.completed', {}, null],
  },
  requireTerms: flag,
  termsLabel: words(200),
  termsText: words(20_000),
  interviewQuestions: {
    good: [[], ['Why?'], Array.from({ length: 50 }, () => long(500))],
    bad: [[''], [long(501)], Array.from({ length: 51 }, () => 'x'), [1], [null], 'x', {}, null],
  },
  acceptReference: flag,
  sandbox: flag,
  retentionDays: { good: [1, 36_500, null], bad: [0, -1, 1.5, 36_501, '30', true, [], {}] },
  returnUrl: {
    good: ['', 'https://a.example', 'https://a.example/{reference}?s={submissionId}&c={code}#x', url(2048)],
    bad: [
      'https://{code}.example/',
      'https://a.example/{x}',
      'https://a.example/{',
      'https://a@b.example',
      ...address.bad,
    ],
  },
  remind: {
    good: [{}, { afterDays: [1, 365], beforeDueHours: [] }, { beforeDueHours: [2_160, 1, 2, 3, 4] }],
    bad: [{ afterDays: [0] }, { afterDays: [366] }, { beforeDueHours: [1, 1] }, { x: [] }, [], 'x', null],
  },
  brand: {
    good: [null, {}, { name: long(60) }, { name: ' x ', accent: '#8C2F39' }, { accent: '' }],
    bad: [{ name: long(61) }, { accent: '#ffff00' }, { accent: 'red' }, { accent: '#fff' }, { logoUrl: null }, [], 'x'],
  },
  showSuccessDialog: flag,
  successMessage: words(2_000),
  timeFactor: { good: [1, 1.25, 3], bad: [0, 0.99, 3.01, '2', true, [], {}, null] },
  script: words(20_000),
  answerModes: {
    good: [['video'], ['audio', 'file'], ['file', 'video', 'audio']],
    bad: [[], ['text'], ['video', 'video'], 'video', [1], {}, null],
  },
};
/** Returns how a project shows an accepted value. */
function shownAs(field: string, value: unknown): unknown {
  if (field === 'brand') return shownBrand(value as Partial<Record<'name' | 'accent', string>> | null);
  if (field === 'remind') return { afterDays: [], beforeDueHours: [], ...(value as object) };
  return typeof value === 'string' && field === 'projectName' ? value.trim() : value;
}
function shownBrand(value: Partial<Record<'name' | 'accent', string>> | null) {
  const { name = '', accent = '' } = value ?? {};
  return name || accent ? { name: name.trim(), accent: accent.toLowerCase(), logoUrl: null } : null;
}
const NOT_UPDATED = ['count', 'sharedLinkEnabled', 'sandbox'];

/** Values of the query parameters of a list. */
const LISTED = { limit: ['1', '100'], selected: ['true', 'false'] };
const STATES = ['pending', 'processing', 'completed', 'failed', 'disabled'];
const UNUSED = '01900000-0000-7000-8000-000000000000';
const MOMENTS = {
  good: ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.123+01:00'],
  bad: ['2026-03-02', 'yesterday', '', '2026-02-30T00:00:00Z', '1772445600'],
};
const QUERIES: Record<string, { good: string[]; bad: string[] }> = {
  limit: { good: LISTED.limit, bad: ['0', '101', '-1', '1.5', 'x', ''] },
  cursor: { good: [], bad: ['x', '', 'eyJ9', '!', long(2_000)] },
  selected: { good: LISTED.selected, bad: ['yes', '1', 'TRUE', '', 'null'] },
  transcriptStatus: { good: STATES, bad: ['done', '', 'Completed', 'null'] },
  q: { good: ['bread', '%', 'a b c d e f g h i j'], bad: [long(201)] },
  tokenId: { good: [UNUSED], bad: ['x', ''] },
  code: { good: ['7K3F9QXA', 'oil00000'], bad: ['x', '', '7K3F9QXU', '7K3F9QXAA', '7K3F-QXA'] },
  responseSessionId: { good: [UNUSED], bad: ['x', ''] },
  mediaStatus: { good: ['processing', 'ready', 'failed'], bad: ['done', '', 'Ready'] },
  createdAfter: MOMENTS,
  createdBefore: MOMENTS,
  changedAfter: MOMENTS,
  reference: { good: ['P-17', 'مرجع', long(200), '<b>'], bad: ['', long(201), 'P\0'] },
  omit: { good: ['transcripts'], bad: ['', 'notes', 'Transcripts'] },
  identities: { good: ['all', 'none'], bad: ['', 'some', 'None'] },
  names: { good: ['number', 'reference'], bad: ['', 'name', 'Reference'] },
};
const OF_EXPORTS = ['identities', 'names'];
const OF_LIST = Object.keys(QUERIES).filter(name => !OF_EXPORTS.includes(name));
const FILTERS = OF_LIST.filter(name => name !== 'limit' && name !== 'cursor');
const TAKES: Record<string, string[]> = {
  submissions: OF_LIST,
  'export.json': ['identities'],
  'export.csv': ['identities'],
  'export/project.zip': ['selected', 'transcriptStatus', ...OF_EXPORTS],
  'export/transcripts.txt': ['selected', 'transcriptStatus', 'identities'],
  'export/transcripts.zip': ['selected', 'transcriptStatus', 'identities'],
  'webhook-deliveries': ['limit', 'cursor'],
};

export function requests(seed: SeedData): void {
  const { ada, full, ask, system } = seed;
  const project = `/api/projects/${full.projectId}`;

  describe('bodies', () => {
    let cleo: Owner;
    let path: string;
    test('a project to change', async () => {
      cleo = await system.newOwner('Cleo');
      const made = await cleo.createProject({ projectName: 'Body', count: 1, sharedLinkEnabled: true });
      path = `/api/projects/${made.projectId}`;
    });
    for (const [field, { good, bad }] of Object.entries(FIELDS)) {
      test(`POST ${field}`, async () => {
        const json = { projectName: 'x', count: 1 };
        for (const value of bad) {
          const body = { ...json, [field]: value };
          const sentence = refused(await cleo.ask('/api/projects', { method: 'POST', json: body }), 400);
          assert.match(sentence, new RegExp(`^${field}`), JSON.stringify(value).slice(0, 60));
        }
        for (const value of good)
          ok(await cleo.ask('/api/projects', { method: 'POST', json: { ...json, [field]: value } }));
      });
      test(`PATCH ${field}`, async () => {
        const patch = (value: unknown) => cleo.ask(path, { method: 'PATCH', json: { [field]: value } });
        const accepted = !NOT_UPDATED.includes(field);
        for (const value of accepted ? bad : good) assert.match(refused(await patch(value), 400), new RegExp(field));
        for (const value of accepted ? good : []) {
          const detail = ok(await patch(value));
          const shown = shownAs(field, value);
          if (field in detail) assert.deepEqual(detail[field], shown);
        }
      });
    }

    const REFUSED: [name: string, json: unknown, status: number][] = [
      ['an unknown field', { projectName: 'x', count: 1, colour: 'red' }, 400],
      ['no projectName', { count: 1 }, 400],
      ['no count', { projectName: 'x' }, 400],
      ['a list', [], 400],
      ['a text', 'x', 400],
      ['null', null, 400],
    ];
    for (const [name, json, status] of REFUSED) {
      test(`POST ${name} is ${status}`, async () =>
        void refused(await ada.ask('/api/projects', { method: 'POST', json }), status));
    }
  });

  describe('queries', () => {
    for (const [route, names] of Object.entries(TAKES)) {
      for (const name of names) {
        test(`${route}?${name}`, async () => {
          const get = (value: string) => ada.ask(`${project}/${route}?${name}=${encodeURIComponent(value)}`);
          for (const value of QUERIES[name]!.bad) assert.match(refused(await get(value), 400), new RegExp(name));
          for (const value of QUERIES[name]!.good) assert.equal((await get(value)).status, 200, value);
        });
      }
      test(`${route} refuses an unknown parameter`, async () =>
        assert.match(refused(await ada.ask(`${project}/${route}?colour=red`), 400, 'filter_unknown'), /^colour /));
      for (const name of FILTERS.filter(each => !names.includes(each))) {
        test(`${route} refuses ${name}, a parameter of the list of submissions`, async () =>
          assert.match(
            refused(await ada.ask(`${project}/${route}?${name}=true`), 400, 'filter_unknown'),
            new RegExp(name),
          ));
      }
    }
    test('the list of projects has pages and a search', async () => {
      const dora = await system.newOwner('Dora');
      for (const projectName of ['Spring', 'Summer stories', 'SUMMER'])
        await dora.createProject({ projectName, count: 1 });
      const list = async (query: string) => ok(await dora.ask(`/api/projects${query}`));
      const namesOf = ({ projects }: { projects: { projectName: string }[] }) => projects.map(each => each.projectName);
      const all = await list('');
      assert.deepEqual(Object.keys(all), ['projects']);
      const seen: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.projects);
        cursor = page.pagination.nextCursor;
      }
      assert.deepEqual(seen, all.projects);
      assert.deepEqual(namesOf(await list('?q=summer')), ['SUMMER', 'Summer stories']);
      assert.deepEqual(await list('?q=winter'), { projects: [], pagination: { nextCursor: null } });
      for (const query of ['limit=0', 'limit=501', 'cursor=x', 'cursor=', `q=${long(201)}`, 'limit=1&limit=2'])
        refused(await dora.ask(`/api/projects?${query}`), 400, 'value_invalid');
      for (const query of ['page=1', 'Q=x', 'selected=true'])
        refused(await dora.ask(`/api/projects?${query}`), 400, 'filter_unknown');
    });
    test('a bad cursor returns 400 before the look-up of the project', async () => {
      const missing = `/api/projects/${UNUSED}`;
      for (const route of ['submissions', 'webhook-deliveries']) {
        for (let again = 0; again < 5; again++) refused(await ada.ask(`${missing}/${route}?cursor=x`), 400);
        refused(await ada.ask(`${missing}/${route}`), 404);
      }
    });
  });

  describe('statuses', () => {
    const headers = { 'content-type': 'application/json' };
    const create = { method: 'POST', headers };
    const big = { projectName: 'x', count: 1, termsText: long(1_100_000) };
    const ROUTES: [name: string, path: string, request: Parameters<typeof ask>[1], status: number][] = [
      ['an unknown route', '/api/nothing', {}, 404],
      ['an unknown route below a project', `${project}/nothing`, {}, 404],
      ['an unknown method of the list', '/api/projects', { method: 'DELETE' }, 405],
      ['an unknown method of a project', project, { method: 'PUT' }, 405],
      ['a body that is not JSON', '/api/projects', { ...create, body: '{"projectName":' }, 400],
      ['no body', '/api/projects', create, 400],
      [
        'another media type',
        '/api/projects',
        { ...create, headers: { 'content-type': 'text/xml' }, body: '<x/>' },
        415,
      ],
      ['a body too large', '/api/projects', { method: 'POST', json: big }, 413],
      ['a project id that is not a uuid', '/api/projects/x', {}, 400],
      ['a submission id that is not a uuid', `${project}/submissions/x/video`, {}, 400],
      ['no shared link', `/api/projects/${seed.bare.projectId}/shared-link/qr.png`, {}, 404],
      ['a key too long', '/api/projects', { method: 'POST', json: {}, headers: { 'idempotency-key': long(256) } }, 400],
    ];
    for (const [name, path, request, status] of ROUTES) {
      test(`${name} is ${status}`, async () => {
        const answer = await ada.ask(path, request);
        refused(answer, status);
        if (status === 405) assert.match(answer.headers.get('allow') ?? '', /GET/);
      });
    }
    test('a request is checked in this order: token, body, existence', async () => {
      const json = { nonsense: 1 };
      refused(await ask('/api/projects', { method: 'POST', json }), 401);
      refused(await ask('/api/projects', { method: 'DELETE' }), 405);
      refused(await ada.ask('/api/projects/01900000-0000-7000-8000-000000000000', { method: 'PATCH', json }), 400);
    });
    test('a uuid may have capitals', async () =>
      void ok(await ada.ask(`/api/projects/${full.projectId.toUpperCase()}`)));
    test('the uses of a missing shared link cannot be set', async () => {
      const json = { sharedLinkMaxUses: 5 };
      refused(await ada.ask(`/api/projects/${seed.bare.projectId}`, { method: 'PATCH', json }), 400);
    });
    test('every answer has the security headers and the remaining rate', async () => {
      for (const path of ['/api/me', '/api/nothing', project]) {
        const { headers } = await ada.ask(path);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      }
      const { headers } = await ada.ask('/api/me');
      assert.match(headers.get('ratelimit') ?? '', /^"token";r=\d+;t=\d+$/);
      assert.match(headers.get('ratelimit-policy') ?? '', /^"token";q=\d+;w=60$/);
    });
  });

  describe('projects', () => {
    test('an omitted field gets its default', async () => {
      const detail = ok(await ada.ask(`/api/projects/${seed.bare.projectId}`));
      const { projectId, createdAt, expiresAt, stats, ...settings } = detail;
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 30 * 86_400_000);
      assert.equal(stats.uniqueLinksTotal, 1);
      assert.deepEqual(settings, {
        projectName: 'Bare',
        maxDurationSec: 120,
        transcriptionEnabled: false,
        noteEnabled: false,
        interviewEnabled: false,
        questionCount: 0,
        webhookEnabled: false,
        requireTerms: false,
        showSuccessDialog: false,
        requestUrl: '',
        webhookUrl: '',
        sharedLinkEnabled: false,
        sharedLinkMaxUses: null,
        termsLabel: '',
        termsText: '',
        interviewQuestions: [],
        successMessage: '',
        webhookEvents: [],
        transcriptionLanguage: '',
        acceptReference: false,
        returnUrl: '',
        remind: { afterDays: [], beforeDueHours: [] },
        script: '',
        answerModes: ['video', 'file'],
        brand: null,
        webhookSigned: false,
        closedAt: null,
        retentionDays: null,
        sandbox: false,
        sandboxEndsAt: null,
        timeFactor: 1,
      });
    });
    test('neverExpire overrides hours, and hours override days', async () => {
      const window = async (settings: object) => {
        const { projectId } = await ada.createProject({ projectName: 'Expiry', count: 1, ...settings });
        const { expiresAt, createdAt } = ok(await ada.ask(`/api/projects/${projectId}`));
        return expiresAt && (Date.parse(expiresAt) - Date.parse(createdAt)) / 3_600_000;
      };
      assert.equal(await window({ neverExpire: true, expiresInHours: 5, expiresInDays: 2 }), null);
      assert.equal(await window({ expiresInHours: 5, expiresInDays: 2 }), 5);
      assert.equal(await window({ neverExpire: false, expiresInDays: 2 }), 48);
      assert.equal(await window({ neverExpire: false }), 720);
    });
    test('the list is newest first', async () => {
      const { projects } = ok(await ada.ask('/api/projects'));
      const ids = projects.map((each: { projectId: string }) => each.projectId);
      assert.deepEqual(ids, [...ids].sort().reverse());
    });
    test('the API shows the allowance, and a creation beyond it returns 403', async () => {
      const dora = await system.newOwner('Dora', 10);
      await dora.createProject({ projectName: 'Seven', count: 3, sharedLinkEnabled: true, sharedLinkMaxUses: 4 });
      const json = { projectName: 'Four', count: 4 };
      assert.match(
        refused(await dora.ask('/api/projects', { method: 'POST', json }), 403, 'allowance_exceeded'),
        /4.*3|3.*4/,
      );
      const { videoLimit, videosReserved, remainingVideos } = ok(await dora.ask('/api/me'));
      assert.deepEqual(
        { videoLimit, videosReserved, remainingVideos },
        { videoLimit: 10, videosReserved: 7, remainingVideos: 3 },
      );
    });
  });
}
