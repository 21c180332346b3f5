import assert from 'node:assert/strict';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { until } from '@recording-request/testing/wait';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID, type TestGateway } from './test-service.ts';

const OTHER_OWNER = '019a0000-0000-7000-8000-000000000009';
const dashboards = { first: mintToken('prj'), second: mintToken('prj'), another: mintToken('prj') };

/**
 * Returns how many streams of `path` the gateway admits in three cases: one token; two tokens of one owner; these two
 * tokens and a token of another owner.
 */
export async function bounds(
  { gateway, base }: { gateway: TestGateway; base: string },
  path: string,
  limits: { all: number; owner: number; token: number },
  what: RegExp,
): Promise<void> {
  const ids = Object.values(dashboards);
  gateway.behind.projects!.resolveDashboardToken = async ({ tokenHash }) => {
    const at = ids.findIndex(token => hashToken(token).equals(tokenHash));
    return { ownerId: at < 2 ? OWNER_ID : OTHER_OWNER, projectId: `${PROJECT_ID.slice(0, -1)}${at}` };
  };
  // This array keeps the responses, because fetch ends a response that no code references.
  const open: { leave: AbortController; response: Response }[] = [];
  const read = async (token: string) => {
    const leave = new AbortController();
    const response = await fetch(`${base}/project/${token}/${path}`, { signal: leave.signal });
    open.push({ leave, response });
    return response;
  };
  const admitted = async (token: string, count: number) => {
    for (let reader = 0; reader < count; reader++) assert.equal((await read(token)).status, 200);
  };
  const refused = async (token: string, why: string) => {
    const response = await read(token);
    assert.equal(response.status, 429, why);
    assert.equal(response.headers.get('retry-after'), '10');
    assert.match(((await response.json()) as { error: string }).error, what);
  };
  const { first, second, another } = dashboards;
  await admitted(first, limits.token);
  await refused(first, 'one more with the same token');
  await admitted(second, limits.owner - limits.token);
  await refused(second, 'one more of the same owner');
  await admitted(another, limits.all - limits.owner);
  await refused(another, 'one more of another owner');
  for (const { leave } of open.splice(0)) leave.abort();
  await until('the place of a reader that left is free', async () => (await read(another)).status === 200);
  for (const { leave } of open) leave.abort();
}

/**
 * Checks the limits of videos: one per token and two per owner; pictures do not count. The store must not end its
 * responses during the check.
 */
export async function videoBounds(place: { gateway: TestGateway; base: string }): Promise<void> {
  const here = `submissions/${SUBMISSION_ID}`;
  await bounds(place, `${here}/video`, { all: 3, owner: 2, token: 1 }, /^Too many videos are being read; /);
  const leave = new AbortController();
  for (let shown = 0; shown < 4; shown++) {
    const path = `/project/${dashboards.first}/${here}/thumbnail-start`;
    assert.equal((await fetch(place.base + path, { signal: leave.signal })).status, 200);
  }
  leave.abort();
}
