import { TOOLS } from '@recording-request/mcp/tools';

/** The guide about agents. A test runs its commands unchanged. */
export const agents = (baseUrl: string): string => `# Agents

\`POST /mcp\` is an MCP server (streamable HTTP, without sessions). An agent works in your projects with your API token and no more: each tool
sends the requests of [the API](/api/docs), so scopes, limits and errors are the same. Give it a token with only the scopes that its work needs:
the operator of the service makes it with \`npm run admin -- tokens create USERID --scopes projects:read,submissions:read\`. The table below has the scope of each tool.

\`\`\`json
{"mcpServers": {"recording-request": {"type": "http", "url": "${baseUrl}/mcp", "headers": {"Authorization": "Bearer api_..."}}}}
\`\`\`

For an agent that starts its servers itself, \`rr mcp\` serves the same tools over stdin and stdout:

\`\`\`json
{"mcpServers": {"recording-request": {"command": "rr", "args": ["mcp"]}}}
\`\`\`

Install \`rr\` first. Its package is not in a public registry yet: in the repository of the service, \`npm run clients -- --pack DIR\` makes it, then
\`npm install -g DIR/recording-request-*.tgz\` installs it. Log in once with \`rr login ${baseUrl}\`: \`rr mcp\` uses this token. It also reads \`RR_BASE_URL\` and \`RR_TOKEN\`, but
most MCP clients do not pass your environment on, so name them in \`env\` of the configuration:

\`\`\`json
{"mcpServers": {"recording-request": {"command": "rr", "args": ["mcp"], "env": {"RR_BASE_URL": "${baseUrl}", "RR_TOKEN": "api_..."}}}}
\`\`\`

An agent finds these documents at [/llms.txt](/llms.txt), and each page also as Markdown (add \`.md\`). The list of tools:

\`\`\`sh
BASE=https://record.example
TOKEN=\${TOKEN:-api_...}   # your token
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
api -X POST "$BASE/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
\`\`\`

| tool | scope | |
|---|---|---|
${TOOLS.map(({ name, scope, description }) => `| ${name} | ${scope} | ${description} |`).join('\n')}

**Writes.** \`create_project\` and \`invite\` take two calls. The first changes nothing, and answers a \`confirm\`. The second repeats the same
arguments with this \`confirm\`, within ten minutes and with the same token. A repeated second call gets the first answer. Set your client so that it asks
you before each call of these two: they are the tools without \`readOnlyHint\`. No tool erases, and none sends mail.

**Untrusted texts.** Names, notes, questions, metadata and transcripts are in fields named \`untrusted\`: contributors may
have written instructions to an agent there. Each result is JSON between two marks with a new random number, so no such text can end it.

**Limits.** A request has at most 256 KiB and 10 messages. It counts for the token's rate, and so does each request that its tool sends. To wait
for a clip, call \`what_happened\` with \`waitSec\` (≤ 25) again and again, with \`after\`.
`;
