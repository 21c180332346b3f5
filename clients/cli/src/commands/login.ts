import { command } from '../command.ts';
import { clientOf, configPath, credentials, readConfig, writeConfig } from '../config.ts';
import { EXIT, Failure, UsageFailure } from '../failures.ts';
import { plain } from '../output.ts';
import { ask, askSecret } from '../prompt.ts';
import { checkToken } from '../token.ts';

export const login = command({
  name: 'login',
  summary: 'Checks a token and stores it with the address.',
  args: ['[BASE_URL]'],
  flags: {},
  notes: `Asks for the token on the terminal, or reads it from stdin:  rr login https://record.example < token.txt
It is stored in ~/.config/recording-request, which only you can read. RR_BASE_URL is used without BASE_URL.`,
  async run({ args }, { out, signal, env }) {
    const given = args[0] ?? env.RR_BASE_URL;
    if (!given && !process.stdin.isTTY) throw new UsageFailure('BASE_URL is missing: rr login BASE_URL');
    const baseUrl = (given ?? (await ask('Address of the service (https://…): ', signal))).trim();
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
      throw new UsageFailure('BASE_URL must be an address such as https://record.example.');
    const token = await askSecret('Token (api_…; it is not shown): ', signal);
    if (!token) throw new Failure(EXIT.usage, 'There is no token on stdin.');
    if (!/^api_\w+$/.test(token)) throw new Failure(EXIT.usage, 'This is no token of an owner: it begins with api_.');
    const client = clientOf(baseUrl, token);
    const me = await checkToken(client, baseUrl, { signal });
    await writeConfig(env, { ...(await readConfig(env)), baseUrl: baseUrl.replace(/\/+$/, ''), token });
    const path = configPath(env);
    const whose = me ? `of ${plain(me.userName)} (scopes: ${me.scopes.join(', ')})` : 'without the scope profile:read';
    const json = { baseUrl, path, userName: me?.userName ?? null, scopes: me?.scopes ?? null };
    out.result(json, `Stored the token ${whose} in ${path}.`);
    if (env.RR_TOKEN) out.note('RR_TOKEN is set: commands use it instead of the stored token.');
  },
});

export const whoami = command({
  name: 'whoami',
  summary: 'Checks the token and prints its owner, scopes and allowance.',
  args: [],
  flags: {},
  async run(_, { out, signal, env, client }) {
    const { baseUrl, from } = await credentials(env);
    const me = await (await client()).me({ signal });
    const allowance =
      me.remainingVideos === null ? 'no limit' : `${me.remainingVideos} of ${me.videoLimit} videos remain`;
    out.result({ baseUrl, tokenFrom: from, ...me }, [
      `${out.colour('bold', plain(me.userName))} at ${baseUrl}`,
      `token      ${plain(me.tokenLabel)} (from ${from})`,
      `scopes     ${me.scopes.join(', ')}`,
      `allowance  ${allowance}`,
    ]);
  },
});
