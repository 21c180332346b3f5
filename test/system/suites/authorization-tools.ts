import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { type Answer, ok, refused } from '@recording-request/harness/http-client';
import type { SeedData } from '../harness/seed.ts';
import type { Ids, Scope } from './authorization-rows.ts';

/** Tokens that must be refused, and one token per scope. */
export interface Keys {
  invalid: Record<string, string | undefined>;
  alone: Record<string, string>;
  everyScope: string;
  bob: string;
}

interface ToolRow {
  scope: Scope;
  args: (ids: Ids) => Record<string, unknown>;
  /** True for a tool that changes something: without `confirm` it is a dry run. */
  writes?: boolean;
}

const inProject = ({ projectId }: Ids) => ({ projectId });
const ofClip = ({ projectId, submission }: Ids) => ({ projectId, submissionId: submission });
const people = [{ name: 'By the matrix of tools' }];

/** Every tool of POST /mcp by its name; a tool without a row fails the suite. */
const TOOL_ROWS: Record<string, ToolRow> = {
  list_projects: { scope: 'projects:read', args: () => ({}) },
  create_project: { scope: 'projects:write', args: () => ({ projectName: 'By the matrix of tools' }), writes: true },
  invite: { scope: 'projects:write', args: ids => ({ ...inProject(ids), people }), writes: true },
  who_is_missing: { scope: 'links:read', args: inProject },
  what_happened: { scope: 'events:read', args: () => ({}) },
  search_clips: { scope: 'submissions:read', args: inProject },
  get_clip: { scope: 'submissions:read', args: ofClip },
  read_transcript: { scope: 'submissions:read', args: ofClip },
  export_url: { scope: 'submissions:read', args: ids => ({ ...inProject(ids), format: 'zip' }) },
};

interface Result {
  isError?: boolean;
  content: { text: string }[];
  structuredContent?: Record<string, unknown>;
}

interface Tools {
  seed: SeedData;
  keys: Keys;
  ids: { ada: Ids; bob: Ids };
  count: () => void;
}

/** Tests every tool of the served list with every kind of caller. */
export function toolAuthorization(context: Tools): void {
  const { seed, keys } = context;
  test('every served tool has a row, and every row is served', async () => {
    const { result } = ok(await send(context, keys.bob, { method: 'tools/list' }));
    const served = result.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(served.sort(), Object.keys(TOOL_ROWS).sort());
  });
  for (const [name, row] of Object.entries(TOOL_ROWS))
    test(`the tool ${name} requires ${row.scope}`, () => judge(context, name, row));
  test('the tools have created nothing', async () => {
    const { projects } = ok(await seed.ada.ask('/api/projects?q=matrix%20tools&limit=1'));
    assert.deepEqual(projects, []);
  });
}

async function judge(context: Tools, name: string, { scope, args, writes = false }: ToolRow): Promise<void> {
  const { keys, ids } = context;
  const { ada, bob } = ids;
  for (const [kind, token] of Object.entries(keys.invalid)) {
    const answer = await send(context, token, calling(name, args(ada)));
    assert.match(refused(answer, 401), /token/, kind);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer', kind);
  }
  for (const other of SCOPES.filter(each => each !== scope)) {
    const token = keys.alone[other]!;
    let result = await call(context, token, name, args(ada));
    // The dry run reads a token's scopes from its account. A token without access to the account gets the error only at
    // the second call.
    const confirm = result.structuredContent?.confirm;
    if (writes && confirm !== undefined) result = await call(context, token, name, { ...args(ada), confirm });
    assert.deepEqual(
      errorOf(result),
      { error: `The token lacks the scope ${scope}.`, status: 403, code: 'scope_missing' },
      other,
    );
  }
  if ('projectId' in args(ada)) {
    const missing = { ...ada, projectId: '01900000-0000-7000-8000-000000000000' };
    const unknown = errorOf(await call(context, keys.everyScope, name, args(missing)));
    assert.equal(unknown.status, 404);
    for (const [token, places] of [
      [keys.bob, ada],
      [keys.everyScope, bob],
      [keys.everyScope, { ...ada, projectId: bob.projectId }],
    ] as const)
      assert.deepEqual(errorOf(await call(context, token, name, args(places))), unknown, 'as if it were missing');
  } else {
    const { content } = await call(context, keys.bob, name, args(ada));
    assert.doesNotMatch(content[0]!.text, new RegExp(`${ada.projectId}|${ada.submission}`));
  }
  const allowed = await call(context, keys.alone[scope]!, name, args(ada));
  assert.ok(!allowed.isError, allowed.content[0]!.text);
  if (writes) assert.equal(allowed.structuredContent?.state, 'dry_run');
}

const calling = (name: string, args: Record<string, unknown>) => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

async function call(context: Tools, token: string, name: string, args: Record<string, unknown>): Promise<Result> {
  return ok(await send(context, token, calling(name, args))).result;
}

function send({ seed, count }: Tools, token: string | undefined, message: object): Promise<Answer> {
  count();
  const headers = { accept: 'application/json, text/event-stream' };
  return seed.ask('/mcp', { method: 'POST', token, headers, json: { jsonrpc: '2.0', id: 1, ...message } });
}

function errorOf({ isError, content }: Result): { error: string; status?: number; code?: string } {
  assert.equal(isError, true, content[0]!.text);
  return JSON.parse(content[0]!.text);
}
