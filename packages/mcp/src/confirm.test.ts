import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIRM_SECONDS, openSeal, seal } from './confirm.ts';

const ARGS = { projectName: 'Stories', links: 2, people: [{ name: 'Ana', email: 'a@x.example' }] };
const NOW = Date.UTC(2026, 0, 2);

test('a confirm opens for the same arguments in any order, and gives the same key each time', () => {
  const { confirm, expiresAt } = seal('api_a', 'invite', ARGS, NOW);
  const turned = { people: [{ email: 'a@x.example', name: 'Ana' }], links: 2, projectName: 'Stories' };
  const key = openSeal('api_a', 'invite', turned, confirm, NOW);
  assert.equal(openSeal('api_a', 'invite', ARGS, confirm, NOW + 1_000), key);
  assert.match(key, /^mcp-[\w-]{43}$/);
  assert.equal(Date.parse(expiresAt), NOW + CONFIRM_SECONDS * 1_000);
  assert.notEqual(
    openSeal('api_a', 'invite', ARGS, seal('api_a', 'invite', ARGS, NOW).confirm, NOW),
    key,
    'two writes',
  );
});

test('a confirm opens for no other arguments, tool or token, and not after its expiry', () => {
  const { confirm } = seal('api_a', 'invite', ARGS, NOW);
  const refused = (token: string, tool: string, args: object, given: string, at = NOW) =>
    assert.throws(
      () => openSeal(token, tool, args, given, at),
      /Nothing was changed/,
      JSON.stringify({ tool, args, given }),
    );
  refused('api_b', 'invite', ARGS, confirm);
  refused('api_a', 'create_project', ARGS, confirm);
  for (const args of [
    { ...ARGS, links: 3 },
    { ...ARGS, more: 1 },
    { ...ARGS, links: '2' },
    {},
    { ...ARGS, people: [] },
  ])
    refused('api_a', 'invite', args, confirm);
  refused('api_a', 'invite', ARGS, confirm, NOW + CONFIRM_SECONDS * 1_000);
  const [until = '', nonce = '', mac = ''] = confirm.split('.');
  const later = (Number.parseInt(until, 36) + 60).toString(36);
  const other = `${nonce[0] === 'A' ? 'B' : 'A'}${nonce.slice(1)}`;
  for (const forged of [`${later}.${nonce}.${mac}`, `${until}.${other}.${mac}`, `${until}.${nonce}.${'A'.repeat(43)}`])
    refused('api_a', 'invite', ARGS, forged);
  for (const noise of ['', 'yes', 'true', confirm.slice(1), `${confirm}A`, 'x'.repeat(200)])
    refused('api_a', 'invite', ARGS, noise);
});

test('a list and an object with the same parts are different arguments', () => {
  const { confirm } = seal('api_a', 'invite', { a: { b: 1 } }, NOW);
  for (const a of [[['b', 1]], ['object', ['b', 1]], { b: [1] }])
    assert.throws(() => openSeal('api_a', 'invite', { a }, confirm, NOW), /Nothing was changed/);
});
