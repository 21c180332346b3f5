import { list, secretText } from './config.ts';
import { parseKeys } from './secret-box.ts';

const secretKeys = secretText(
  'SECRETS_KEY',
  'the keys that seal stored tokens, secrets and personal data: the first one seals, all of them open',
  { expected: '`id:base64` of 32 bytes, several separated by commas' },
);

export const secretsKeyVariables = {
  secretsKey: {
    ...secretKeys,
    parse(value: string | undefined, env: NodeJS.ProcessEnv): string {
      const keys = secretKeys.parse(value, env);
      parseKeys(keys);
      return keys;
    },
  },
  secretsKeysLost: list(
    'SECRETS_KEYS_LOST',
    'ids of keys that are permanently lost: the service then starts, although records are sealed with these keys',
    { default: [] },
  ),
};
