import { command } from '../command.ts';
import { clientOf, credentials } from '../config.ts';

export const mcp = command({
  name: 'mcp',
  summary: 'Serves the tools for agents over stdin and stdout (MCP), with your token.',
  args: [],
  flags: {},
  notes: `An agent starts this command itself:  "command": "rr", "args": ["mcp"]
The tools, their limits and the confirm values of writes are the same as with POST /mcp. The command checks the token first.
Messages go to stdout, remarks and errors to stderr. The command ends when its stdin is closed.`,
  async run(_, { out, signal, env }) {
    const { baseUrl, token } = await credentials(env);
    // Loads the libraries of the protocol only here, because this takes longer than loading all other commands.
    const { serve } = await import('../mcp/serve.ts');
    await serve({ ...{ baseUrl, token, out, signal }, client: clientOf(baseUrl, token) });
  },
});
