import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { helpOf, parse, wholeNumber } from './command.ts';
import { COMMANDS, find } from './commands.ts';
import { linksTable } from './csv.ts';
import { createOutput, linkTable, plain, sizeText, table } from './output.ts';
import { safe } from './pull/layout.ts';
import { sinceOf } from './since.ts';
import { VERSION } from './version.ts';
import { pause } from './wait.ts';

test('the version equals the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(VERSION, version);
});

test('every command has a help, which begins with its usage', () => {
  for (const command of COMMANDS) {
    const found = find([...command.name.split(' '), '--help']);
    assert.ok(found.kind === 'command' && found.command === command, command.name);
    assert.ok(parse(command, ['--help']).isHelp);
    assert.ok(helpOf(command).startsWith(`rr ${command.name} `));
  }
});

test('wrong arguments are named', () => {
  const refused = (words: string[], sentence: RegExp) => {
    const found = find(words);
    assert.ok(found.kind === 'command');
    assert.throws(() => parse(found.command, found.rest), sentence);
  };
  refused(['pull', 'p'], /DIR is missing/);
  refused(['pull', 'p', 'd', 'x'], /“x” is one argument too many/);
  refused(['login', 'https://record.example', 'api_secret'], /^(?!.*api_secret).* takes a token as an argument/);
  refused(['pull', 'p', 'd', '--by', 'name'], /--by must be one of reference, question, date/);
  assert.equal(wholeNumber('interval', '86400', 1, 86_400), 86_400);
  for (const text of ['0', '86401', '1.5', '3000000'])
    assert.throws(
      () => wholeNumber('interval', text, 1, 86_400),
      /--interval must be a whole number from 1 to 86,400\./,
    );
  refused(['whoami', '--token', 'x'], /--token/);
});

test('a time of --since is relative or has a zone', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  assert.equal(sinceOf('2h', now).toISOString(), '2026-03-02T08:00:00.000Z');
  assert.equal(sinceOf('2026-03-02T10:00:00+01:00').toISOString(), '2026-03-02T09:00:00.000Z');
  for (const text of ['2', '2 h', 'yesterday', '2026-13-02', '2026-03-02T10:00:00'])
    assert.throws(() => sinceOf(text), text);
});

test('a text becomes a name that every system accepts', () => {
  for (const [text, name] of [
    ['../../etc/passwd', 'etc passwd'],
    ['..', ''],
    ['a\u202Eb\u0000c', 'a b c'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['aux .txt', '_aux .txt'],
    ['com¹', '_com¹'],
    ['CONIN$', '_CONIN$'],
    ['trail. . ', 'trail'],
    [' A: B? ', 'A B'],
    ['é', 'é'.normalize('NFC')],
  ] as const)
    assert.equal(safe(text), name);
  assert.ok(Buffer.byteLength(safe('李'.repeat(200))) <= 80);
});

test('contributors’ words cannot move the cursor of the terminal', () => {
  assert.equal(plain('a\u001b[2Jb\nc\u202Ed'), 'a [2Jb c d');
  assert.deepEqual(
    table(
      ['a', 'b'],
      [
        ['李', '1'],
        [undefined, 'x\ty'],
      ],
    ),
    ['a   b', '李  1', '    x y'],
  );
  assert.deepEqual([999, 1_000, 12_345, 999_600].map(sizeText), ['999 B', '1.0 kB', '12 kB', '1.0 MB']);
});

test('a link in a table stays whole, however long it is', () => {
  const link = `https://record.example/r/vr_${'x'.repeat(60)}`;
  assert.deepEqual(linkTable(['person', 'link'], [['Cem', link]]), ['person  link', `Cem     ${link}`]);
});

const recorder = (isJson: boolean, isTTY: boolean, env: NodeJS.ProcessEnv = {}) => {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  const stream = { isTTY, columns: 80, write };
  return { out: createOutput(isJson, env, { stdout: stream, stderr: stream }), written: () => written };
};

test('colours need a terminal and no NO_COLOR', () => {
  const coloured = (isTTY: boolean, env: NodeJS.ProcessEnv) => {
    const { out, written } = recorder(false, isTTY, env);
    out.result({}, `a ${out.colour('red', 'x')}`);
    return written();
  };
  assert.deepEqual(
    [coloured(true, {}), coloured(false, {}), coloured(true, { NO_COLOR: '1' })],
    ['a \x1b[31mx\x1b[39m\n', 'a x\n', 'a x\n'],
  );
});

test('no text of the server controls the terminal', () => {
  const hostile = 'a\x1b[2Jb\u009b31mc\u202Ed\re\nf';
  const { out, written } = recorder(false, true);
  out.result({}, [hostile, `${out.colour('bold', hostile)}!`]);
  out.note(hostile);
  out.progress().show(hostile);
  const shown = 'a [2Jb 31mc d e f';
  assert.equal(written(), `${shown}\n\x1b[1m${shown}\x1b[22m!\n${shown}\n\r\x1b[K${shown}`);
  const json = recorder(true, true);
  json.out.result({ [hostile]: `${hostile}\u{E0041}` }, []);
  assert.match(json.written(), /^[\x20-\x7e]+\n$/);
  assert.ok(json.written().includes('\\u009b31mc\\u202ed'));
  assert.deepEqual(JSON.parse(json.written()), { [hostile]: `${hostile}\u{E0041}` });
});

test('a table of links has a column for each text, and no formula', () => {
  const link = {
    recipient: { name: '=1+1', reference: 'a"b' },
    dueAt: null,
    metadata: { team: 'N' },
    recipientUrl: 'u',
    tokenId: 't',
  };
  assert.equal(
    linksTable([link] as unknown as Parameters<typeof linksTable>[0]).split('\r\n')[1],
    `"'=1+1","a""b","","","","N","u","t"`,
  );
});

test('no text of a table of links is a formula, also for a spreadsheet that skips characters', () => {
  const guarded = (name: string): string => {
    const link = { recipient: { name }, metadata: {}, recipientUrl: 'u', tokenId: 't' };
    const table = linksTable([link] as unknown as Parameters<typeof linksTable>[0]);
    return /\r\n"(.*?)","",/s.exec(table)![1]!;
  };
  for (const [name, cell] of [
    ['＝1+1', "'＝1+1"],
    ['\u0000=1', "'\u0000=1"],
    [' \u200b=1', "' \u200b=1"],
    ['\t1', "'\t1"],
    [';=1', ";'=1"],
    ['a\n=9', "a\n'=9"],
    ['a;"＠x', `a;'""＠x`],
    ['a=1', 'a=1'],
    ['a;b', 'a;b'],
  ] as const)
    assert.equal(guarded(name), cell);
});

test('a wait that is too long for a timer does not end at once', async () => {
  const stop = new AbortController();
  const waiting = pause(2 ** 31, stop.signal).then(() => 'ended');
  const first = await Promise.race([waiting, pause(50, stop.signal).then(() => 'waits')]);
  stop.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
  assert.equal(first, 'waits');
});
