import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mintToken } from '@recording-request/contract/tokens';
import type { ConfigError } from '@recording-request/kit/config';
import { DomainError } from '@recording-request/kit/errors';
import { readConfig } from '../src/config.ts';
import { asProject, OWNER_ID, PROJECT_ID, startTestGateway } from './test-service.ts';

const SVG =
  '<?xml version="1.0"?>\n<!-- a mark -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><path d="M0 0h4v2z"/></svg>';
const token = mintToken('vr');
let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'brand-'));
});
after(() => rm(dir, { recursive: true, force: true }));

async function file(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(dir, name), content);
  return join(dir, name);
}

const projects = {
  async resolveRecipient() {
    const { settings } = asProject();
    return { linkId: 'l', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1, settings } as never;
  },
};

test("the operator's accent, logo and name are on every page of a contributor, served from here", async () => {
  const logo = await file('logo.svg', SVG);
  const env = { BRAND_ACCENT: '#1A237E', BRAND_LOGO_FILE: logo, BRAND_NAME: 'Bits & "Pieces"' };
  await using harness = await startTestGateway({ projects }, env);
  let address = '';
  for (const path of [`/r/${token}`, `/r/${token}/thank-you`, '/r/nonsense']) {
    const answer = await fetch(`${harness.base}${path}`);
    const page = await answer.text();
    assert.match(page, /:root\{--accent:#1a237e;--on-accent:#ffffff;/, path);
    address =
      /<img class="brand" src="(\/assets\/brand-logo-[\w-]+\.svg)" alt="Bits &amp; &quot;Pieces&quot;">/.exec(
        page,
      )?.[1] ?? '';
    assert.notEqual(address, '', `${path} shows the logo`);
    assert.match(answer.headers.get('content-security-policy') ?? '', /img-src 'self' data:;/);
  }
  const image = await fetch(`${harness.base}${address}`);
  assert.equal(image.headers.get('content-type'), 'image/svg+xml');
  assert.match(image.headers.get('cache-control') ?? '', /immutable/);
  assert.match(image.headers.get('content-security-policy') ?? '', /^default-src 'none'/, 'an SVG runs nothing');
  assert.equal(await image.text(), SVG);
  const sheet = await fetch(`${harness.base}/assets/brand.css`);
  assert.match(sheet.headers.get('content-type') ?? '', /^text\/css/);
  assert.match(await sheet.text(), /prefers-color-scheme:dark/);
  const docs = await (await fetch(`${harness.base}/api/docs`)).text();
  assert.match(docs, /href="\/assets\/brand\.css"/);
  assert.match(docs, /<img class="brand"/);
});

test('the brand of a project replaces the operator’s on its pages, and the logo comes from the link', async () => {
  const brand = { name: '<Bakery>', accent: '#8c2f39' };
  const own = {
    brand: { name: '', accent: '' },
    hasLogo: false,
    linkType: 1,
  };
  const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  await using harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient() {
          return { ...((await projects.resolveRecipient()) as object), ...own } as never;
        },
        async getLogo({ ownerId, projectId }) {
          assert.deepEqual([ownerId, projectId], [OWNER_ID, PROJECT_ID]);
          if (!own.hasLogo) throw new DomainError('not_found', 'The project has no logo.');
          return { image: png, mediaType: 'image/png' };
        },
      },
    },
    { BRAND_ACCENT: '#1A237E', BRAND_NAME: 'Operator' },
  );
  const shown = async (path = '') => await (await fetch(`${harness.base}/r/${token}${path}`)).text();
  const logo = () => fetch(`${harness.base}/r/${token}/logo`);
  assert.match(await shown(), /--accent:#1a237e.*<span class="brand">Operator</s);
  assert.equal((await logo()).status, 404);

  own.brand = { name: '', accent: '#8c2f39' };
  assert.match(await shown(), /--accent:#8c2f39.*<span class="brand">Operator</s, 'each field falls back by itself');
  own.brand = brand;
  for (const path of ['', '/thank-you', '/reminders'])
    assert.match(
      await shown(path),
      /--accent:#8c2f39;--on-accent:#ffffff;.*<span class="brand">&lt;Bakery&gt;</s,
      path,
    );
  assert.match(await (await fetch(`${harness.base}/r/nonsense`)).text(), /--accent:#1a237e/);

  own.hasLogo = true;
  const image = /<img class="brand" src="([^"]+)" alt="&lt;Bakery&gt;">/.exec(await shown())?.[1] ?? '';
  assert.equal(image, `/r/${token}/logo`);
  const answer = await logo();
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png);
  own.brand = { name: '', accent: '' };
  assert.doesNotMatch(await shown(), /Operator/, 'an owner’s logo is not shown with the operator’s name');
});

test('a name without a logo replaces it; without either the page shows no brand', async () => {
  {
    await using harness = await startTestGateway({ projects }, { BRAND_NAME: '<Bits>' });
    assert.match(await (await fetch(`${harness.base}/r/${token}`)).text(), /<span class="brand">&lt;Bits&gt;<\/span>/);
  }
  await using harness = await startTestGateway({ projects }, {});
  assert.doesNotMatch(await (await fetch(`${harness.base}/r/${token}`)).text(), /class="brand"/);
});

test('the gateway does not start with an invalid brand; it names the variable of each fault', async () => {
  const faults = (env: Record<string, string>) => {
    try {
      readConfig(env);
    } catch (error) {
      return (error as ConfigError).faults.filter(fault => fault.startsWith('BRAND_'));
    }
    return [];
  };
  const large = await file(
    'large.png',
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(300_000)]),
  );
  const page = await file('page.svg', '<html><svg></svg></html>');
  for (const [env, fault] of [
    [{ BRAND_ACCENT: 'teal' }, /^BRAND_ACCENT must be a colour such as #0b6b74$/],
    [{ BRAND_ACCENT: '#ffe100' }, /^BRAND_ACCENT must be a darker colour: its contrast with white is 1\.3:1/],
    [{ BRAND_LOGO_FILE: join(dir, 'none.png') }, /^BRAND_LOGO_FILE must name a file that can be read$/],
    [{ BRAND_LOGO_FILE: dir }, /^BRAND_LOGO_FILE must name a file that can be read$/],
    [{ BRAND_LOGO_FILE: large }, /^BRAND_LOGO_FILE must be a file of at most 256 KiB, not 293 KiB$/],
    [{ BRAND_LOGO_FILE: page }, /^BRAND_LOGO_FILE must be an SVG, PNG, JPEG or WebP image$/],
    [{ BRAND_NAME: 'x'.repeat(61) }, /^BRAND_NAME must be one line of at most 60 characters$/],
    [{ BRAND_NAME: 'a\nb' }, /^BRAND_NAME must be one line/],
  ] as [Record<string, string>, RegExp][]) {
    const found = faults(env);
    assert.equal(found.length, 1, JSON.stringify(env));
    assert.match(found[0] ?? '', fault);
  }
  assert.equal(
    faults({ BRAND_ACCENT: 'teal', BRAND_NAME: 'x'.repeat(61), BRAND_LOGO_FILE: page }).length,
    3,
    'all at once',
  );
  assert.deepEqual(faults({ BRAND_ACCENT: '#0B6B74', BRAND_LOGO_FILE: await file('a.svg', SVG) }), []);
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const started = spawnSync(process.execPath, [main], {
    env: { BRAND_ACCENT: '#ffe100' },
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.notEqual(started.status, 0);
  assert.match(started.stdout + started.stderr, /BRAND_ACCENT must be a darker colour/);
});

test('the QR code of a known link is a picture from the gateway; the request changes nothing', async () => {
  const calls: string[] = [];
  await using harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient(request: unknown) {
          calls.push('resolveRecipient');
          if (calls.length > 3) throw new DomainError('not_found', 'There is no such recording link.');
          return (projects.resolveRecipient as (request: unknown) => Promise<never>)(request);
        },
      },
    },
    // The rate limit of the page does not count requests for the QR code.
    { RATE_LIMIT_ADDRESS_PER_MINUTE: '1' },
  );
  const answer = await fetch(`${harness.base}/r/${token}/qr.png`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const picture = await file('qr.png', Buffer.from(await answer.arrayBuffer()));
  const read = spawnSync('zbarimg', ['--quiet', '--raw', picture], { encoding: 'utf8', timeout: 30_000 });
  assert.equal(read.stdout.trim(), `https://rec.example/r/${token}`);
  assert.deepEqual([...new Set(calls)], ['resolveRecipient']);
  assert.equal((await fetch(`${harness.base}/r/vr_nonsense/qr.png`)).status, 404);
});

test('a brand in a body is complete for the projects service, and a wrong one is refused by the name of its field', async () => {
  const sent: unknown[] = [];
  await using harness = await startTestGateway({
    projects: {
      async updateProject({ settings }) {
        sent.push(settings?.values?.brand);
        return { project: asProject() };
      },
    },
    submissions: { countSubmissions: async () => ({ counts: {} }) },
  });
  const patch = (brand: unknown) =>
    fetch(`${harness.base}/api/projects/${PROJECT_ID}`, {
      method: 'PATCH',
      headers: { ...harness.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ brand }),
    });
  for (const good of [null, {}, { name: 'Bakery' }, { accent: '#8C2F39' }]) {
    const answer = await patch(good);
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(sent.pop(), { name: '', accent: '', ...good });
  }
  for (const bad of [{ name: 'x'.repeat(61) }, { accent: '#ffff00' }, { accent: 'red' }, { logoUrl: null }, [], 'x']) {
    const answer = await patch(bad);
    assert.equal(answer.status, 400);
    assert.match(((await answer.json()) as { error: string }).error, /^brand/, JSON.stringify(bad));
  }
  assert.deepEqual(sent, []);
});
