import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { User } from '@recording-request/proto/accounts/v1/accounts';
import { usage } from './usage.ts';

const user = (index: number, videosReserved: number, videoLimit?: number): User => ({
  ...{
    userId: String(index).padStart(6, '0'),
    userName: `owner ${index}`,
    createdAt: undefined,
    disabledAt: undefined,
  },
  ...{ videosReserved, videoLimit },
});

function operatorOf(users: User[]) {
  const pages: number[] = [];
  return {
    pages,
    async listUsers({ pageSize = 0, afterUserId = '' }: { pageSize?: number; afterUserId?: string }) {
      const page = users.filter(({ userId }) => userId > afterUserId).slice(0, pageSize);
      pages.push(page.length);
      return { users: page };
    },
  };
}

test('sorts owners by the used share of their allowance, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => user(index, 1, 1_000));
  many[7] = user(7, 95, 100);
  many[1_900] = user(1_900, 12, 10);
  many[2_000] = user(2_000, 5_000);
  many[2_100] = user(2_100, 0, 0);
  const operator = operatorOf(many);
  const { lines, value, note } = await usage(operator as never, { name: 'usage', limit: 3 });
  assert.deepEqual(operator.pages, [1_000, 1_000, 500], 'page by page');
  assert.deepEqual(
    lines.map(line => line.split(/ {2,}/)),
    [
      ['USER ID', 'USED', 'RESERVED', 'LIMIT', 'NAME'],
      ['001900', '120 %', '12', '10', 'owner 1900'],
      ['002100', '100 %', '0', '0', 'owner 2100'],
      ['000007', '95 %', '95', '100', 'owner 7'],
    ],
  );
  assert.equal((value as { owners: unknown[] }).owners.length, 3);
  assert.match(note!, /^2500 users, 2499 with a limit, of whom 3 have used nine tenths of it; 7603 videos/);
});

test('puts owners without a limit last, sorted by reserved videos', async () => {
  const operator = operatorOf([user(1, 9), user(2, 10), user(3, 0, 5)]);
  const { value } = await usage(operator as never, { name: 'usage', limit: 10 });
  assert.deepEqual(
    (value as { owners: { used: number | null }[] }).owners.map(({ used }) => used),
    [0, null, null],
  );
});
