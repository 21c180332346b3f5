import type { Mechanism } from 'kafkajs';
import { TokenRefusedError } from './token.ts';

/**
 * Implements OAUTHBEARER (RFC 7628). kafkajs's own mechanism accepts every response, even a refusal of the token. So a
 * refused login would look like an unreachable broker.
 */
export function bearer(token: () => Promise<string>, refusal: string): Mechanism {
  return {
    mechanism: 'OAUTHBEARER',
    authenticationProvider: ({ saslAuthenticate }) => ({
      async authenticate() {
        const message = Buffer.from(`n,,\u0001auth=Bearer ${await token()}\u0001\u0001`);
        const refused = await saslAuthenticate<boolean>({
          request: { encode: () => withSize(message) },
          response: { decode: withoutSize, parse: answer => answer.length > 0 },
        });
        if (refused) throw new TokenRefusedError(refusal);
      },
    }),
  };
}

const SIZE_BYTES = 4;

function withSize(message: Buffer): Buffer {
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeInt32BE(message.length);
  return Buffer.concat([size, message]);
}

const withoutSize = (answer: Buffer): Buffer => answer.subarray(SIZE_BYTES);
