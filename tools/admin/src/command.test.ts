import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { UsageError } from '@recording-request/kit/command-line';
import { uuidv7 } from '@recording-request/kit/ids';
import { parseCommand } from './command.ts';
import { COMMANDS, synopsisOf } from './commands.ts';
import { helpOn } from './help.ts';

const parse = (line: string) => parseCommand(line === '' ? [] : line.split(' '));

test('parses each command', () => {
  assert.deepEqual(parse('users create Ann --limit 5 --json'), {
    command: { name: 'users create', userName: 'Ann', videoLimit: 5 },
    json: true,
  });
  assert.deepEqual(parse('users set-limit U none').command, {
    name: 'users set-limit',
    userId: 'U',
    videoLimit: undefined,
  });
  assert.deepEqual(parse('tokens create U --label x --scopes links:read,profile:read --expires-in-days 3').command, {
    name: 'tokens create',
    userId: 'U',
    label: 'x',
    scopes: ['links:read', 'profile:read'],
    expiresInDays: 3,
  });
  const all = parse('tokens create U').command;
  assert.deepEqual(all.name === 'tokens create' && all.scopes, SCOPES);
  assert.deepEqual(parse('tokens revoke T').command, { name: 'tokens revoke', tokenId: 'T' });
  assert.deepEqual(parse('backlog').command, { name: 'backlog' });
  assert.deepEqual(parse('usage').command, { name: 'usage', limit: 20 });
  assert.deepEqual(parse('usage --limit 5').command, { name: 'usage', limit: 5 });
  assert.deepEqual(parse('projects list U').command, { name: 'projects list', userId: 'U' });
  assert.deepEqual(parse('erase project P --yes').command, {
    name: 'erase project',
    id: 'P',
    yes: true,
    dryRun: false,
  });
  assert.deepEqual(parse('erase user U --dry-run').command, { name: 'erase user', id: 'U', yes: false, dryRun: true });
  assert.deepEqual(parse('erase link L').command, { name: 'erase link', id: 'L', yes: false, dryRun: false });
  assert.deepEqual(parse('dead-letters list').command, { name: 'dead-letters list', limit: 100 });
  assert.deepEqual(parse('dead-letters replay all').command, { name: 'dead-letters replay', id: 'all' });
  assert.deepEqual(parse('media retry --from 2026-03-02T10:00:00Z --to 2026-03-02T12:00:00+01:00').command, {
    name: 'media retry',
    from: new Date('2026-03-02T10:00:00Z'),
    to: new Date('2026-03-02T11:00:00Z'),
    status: 'both',
    dryRun: false,
  });
  assert.deepEqual(parse('users rename U Ann').command, { name: 'users rename', userId: 'U', userName: 'Ann' });
  assert.deepEqual(parse('tokens rotate T').command, { name: 'tokens rotate', tokenId: 'T', overlapHours: 24 });
  assert.deepEqual(parse('doctor').command, { name: 'doctor', workload: undefined, timeoutSeconds: 5 });
  assert.deepEqual(parse('doctor --as media --timeout 9').command, {
    name: 'doctor',
    workload: 'media',
    timeoutSeconds: 9,
  });
  assert.deepEqual(parse('webhooks pause').command, { name: 'webhooks pause' });
  assert.deepEqual(parse('restore --from /here').command, { name: 'restore', from: '/here', sendWebhooks: false });
  assert.deepEqual(parse('uploads list --failed').command, { name: 'uploads list', limit: 100, failedOnly: true });
  for (const [line, topic] of [
    ['', ''],
    ['--help', ''],
    ['users', 'users'],
    ['dead-letters', 'dead-letters'],
    ['users create --help', 'users create'],
    ['users create', undefined],
  ] as const) {
    if (topic === undefined) assert.throws(() => parse(line), /takes NAME\n.*for example:/s, 'it says how');
    else assert.deepEqual(parse(line).command, { name: 'help', topic }, line);
  }
});

test('explains an invalid command line', () => {
  const cases: [string, RegExp][] = [
    ['users delete U', /no command "users delete"/],
    ['frobnicate', /^There is no command "frobnicate"\.$/],
    ['users create', /takes NAME/],
    ['users create A B', /takes NAME/],
    ['users create A --limit many', /--limit must be a whole number/],
    ['users create A --limit -1', /limit/],
    ['users set-limit U 1.5', /whole number/],
    ['backlog U', /"backlog" takes nothing more/],
    ['users list --label x', /--label does not belong/],
    ['tokens create U --scopes links:read,links:write', /unknown scope "links:write"/],
    ['tokens create U --expires-in-days 0', /--expires-in-days/],
    ['users list --colour', /colour/],
    ['erase submission', /takes SUBMISSIONID/],
    ['erase project prj_secret', /begins with prj_ is a project's dashboard token; PROJECTID must be an id, a UUID$/],
    ['tokens revoke api_secret', /begins with api_ is an API token; TOKENID must be an id, a UUID$/],
    ['erase project P --yes --dry-run', /exclude each other/],
    ['erase links L', /no command "erase links"/],
    ['erase link', /takes LINKID/],
    ['erase link vr_secret', /begins with vr_ is the token of a recording link; LINKID must be an id, a UUID$/],
    ['users list --yes', /--yes does not belong/],
    ['dead-letters list --limit 0', /--limit must be a whole number from 1/],
    ['dead-letters drop', /takes DEADLETTERID/],
    ['tokens rotate T --overlap-hours 169', /^--overlap-hours must be a whole number from 0 to 168$/],
    ['tokens rotate T --overlap-hours 99999999999', /^--overlap-hours must be a whole number from 0 to 168$/],
    ['tokens create U --expires-in-days 36501', /^--expires-in-days must be a whole number from 1 to 36500$/],
    ['users set-limit U 4294967296', /^the limit must be a whole number from 0 to 4294967295$/],
    ['doctor --as redis', /^--as must be one of gateway, projects, .*, backup$/],
    ['doctor --timeout 0', /^--timeout must be a whole number from 1 to 300$/],
    ['users create ', /^NAME must not be empty/],
    ['dead-letters show api_secret', /is an API token/],
    ['media retry --to 2026-03-02T10:00:00Z', /^--from must be a time with its zone/],
    ['media retry --from 2026-03-02 --to 2026-03-02T10:00:00Z', /^--from must be a time with its zone/],
    ['media retry --from 2026-03-02T10:00:00Z --to 2026-03-02T10:00:00Z', /^--from must be before --to/],
    [
      'media retry --from 2026-03-02T10:00:00Z --to 2026-03-02T11:00:00Z --status ready',
      /^--status must be one of failed, with-error, both$/,
    ],
  ];
  for (const [line, words] of cases) {
    assert.throws(
      () => parse(line),
      error => error instanceof UsageError && words.test(error.message),
      line,
    );
  }
});

test('every command uses the system of the named folder', () => {
  assert.equal(parse('users list').dataDir, undefined);
  for (const line of [
    'users list --data /there',
    'backup --data /there --to /here',
    `trace --data /there/ ${uuidv7()}`,
  ])
    assert.equal(parse(line).dataDir, '/there', line);
  assert.throws(() => parseCommand(['users', 'list', '--data', '']), /--data must name a folder/);
});

test('each command has a valid example, in its help and in the README', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  for (const form of COMMANDS) {
    const words = [...form.example.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    assert.equal(parseCommand(words).command.name, form.name, form.example);
    assert.ok(helpOn('').includes(synopsisOf(form)), `the help lists "${form.name}"`);
    assert.ok(helpOn(form.name).includes(form.example), `the help on "${form.name}" has its example`);
    assert.match(readme, new RegExp(`^npm run admin -- ${form.name}( .*)?$`, 'm'), `the README has "${form.name}"`);
  }
});

test('parses each command in the runbooks', async () => {
  const folder = new URL('../../../docs/runbooks/', import.meta.url);
  const texts = await Promise.all((await readdir(folder)).map(file => readFile(new URL(file, folder), 'utf8')));
  const named = texts.flatMap(text => [...text.matchAll(/`npm run admin -- ([^`]+)`/g)].map(([, line = '']) => line));
  assert.ok(named.includes('backlog'));
  for (const line of named) {
    const { command } = parse(line.replaceAll(/\b[A-Z]*ID\b/g, uuidv7()));
    assert.notEqual(command.name, 'help', line);
  }
});
