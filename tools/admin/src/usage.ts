import type { User } from '@recording-request/proto/accounts/v1/accounts';
import { userValue } from './accounts.ts';
import type { UsageCommand } from './command.ts';
import type { Operator, Report } from './run.ts';
import { table } from './table.ts';

const PAGE = 1_000;
const NEARLY_ALL = 0.9;
const COLUMNS = ['USER ID', 'USED', 'RESERVED', 'LIMIT', 'NAME'] as const;

/** Returns the owners with the largest used share of their allowance. Reads all owners page by page and keeps at most `limit`. */
export async function usage(operator: Pick<Operator, 'listUsers'>, { limit }: UsageCommand): Promise<Report> {
  let most: User[] = [];
  const sums = { users: 0, limited: 0, nearlyUsed: 0, reserved: 0 };
  for (let afterUserId = ''; ; ) {
    const { users } = await operator.listUsers({ pageSize: PAGE, afterUserId });
    for (const user of users) {
      sums.users += 1;
      sums.reserved += user.videosReserved;
      if (user.videoLimit !== undefined) sums.limited += 1;
      if ((shareOf(user) ?? 0) >= NEARLY_ALL) sums.nearlyUsed += 1;
    }
    most = [...most, ...users].sort(byShare).slice(0, limit);
    if (users.length < PAGE) break;
    afterUserId = users.at(-1)!.userId;
  }
  return {
    lines: table(COLUMNS, most.map(rowOf), 'no users yet'),
    value: { ...sums, owners: most.map(user => ({ ...userValue(user), used: shareOf(user) ?? null })) },
    note: `${sums.users} users, ${sums.limited} with a limit, of whom ${sums.nearlyUsed} have used nine tenths of it; ${sums.reserved} videos are reserved in all.`,
  };
}

/** Returns undefined for an owner without a limit. A limit of 0 counts as used up. */
function shareOf({ videoLimit, videosReserved }: User): number | undefined {
  if (videoLimit === undefined) return undefined;
  return videoLimit === 0 ? 1 : videosReserved / videoLimit;
}

/** Sorts owners without a limit last. Within each group, the owners with the most reserved videos come first. */
const byShare = (one: User, other: User): number =>
  (shareOf(other) ?? -1) - (shareOf(one) ?? -1) || other.videosReserved - one.videosReserved;

function rowOf(user: User): string[] {
  const share = shareOf(user);
  return [
    user.userId,
    share === undefined ? '-' : `${Math.floor(100 * share)} %`,
    String(user.videosReserved),
    user.videoLimit === undefined ? 'none' : String(user.videoLimit),
    user.userName,
  ];
}
