import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export interface Agent extends AsyncDisposable {
  /** Calls a tool. */
  call(name: string, args?: object): Promise<CallToolResult>;
  /** Calls a tool that must not fail, and returns its structured result. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests name the fields that they read.
  use(name: string, args?: object): Promise<any>;
  /** The number of calls so far. */
  calls(): number;
}

/** Connects the SDK's own client, which checks each structured result against the schema of its tool. */
export async function connectAgent(baseUrl: string, token: string): Promise<Agent> {
  const client = new Client({ name: 'system-test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
  await client.listTools();
  let calls = 0;
  const call = async (name: string, args: object = {}) => {
    calls++;
    return (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult;
  };
  return {
    call,
    async use(name, args) {
      const result = await call(name, args);
      assert.ok(!result.isError, textOf(result));
      return result.structuredContent;
    },
    calls: () => calls,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const textOf = ({ content: [first] }: CallToolResult): string => (first?.type === 'text' ? first.text : '');
