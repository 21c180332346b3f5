import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { RR } from './rr.ts';

export interface Agent extends AsyncDisposable {
  /** Calls a tool. */
  call(name: string, args?: object): Promise<CallToolResult>;
  /** Calls a tool that must not fail, and returns its structured result. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests name the fields that they read.
  use(name: string, args?: object): Promise<any>;
  /** The number of calls so far. */
  calls(): number;
}

/** Connects the SDK's own client to `POST /mcp`. It checks each structured result against the schema of its tool. */
export function connectAgent(baseUrl: string, token: string): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return agentOver(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
}

/** Connects the SDK's own client to the command `rr mcp`, which it starts and ends. */
export function connectLocalAgent(baseUrl: string, token: string): Promise<Agent> {
  const env = { ...getDefaultEnvironment(), RR_BASE_URL: baseUrl, RR_TOKEN: token };
  return agentOver(new StdioClientTransport({ command: process.execPath, args: [RR, 'mcp'], env, stderr: 'ignore' }));
}

async function agentOver(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'system-test', version: '1' });
  await client.connect(transport);
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
