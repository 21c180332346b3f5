import { ERROR_CODES } from '@recording-request/contract/error-codes';

/** The file of the generated values of `Error-Code`. */
export const ERROR_CODES_FILE = new URL('../../../clients/typescript/src/error-codes.gen.ts', import.meta.url);

/** Returns the source of the list of every `Error-Code` of the service. */
export const errorCodes = (): string => `// Written by npm run clients.

/** The values of the header \`Error-Code\` that this version knows. New ones may be added. */
export const ERROR_CODES = [
${Object.keys(ERROR_CODES)
  .map(code => `  '${code}',\n`)
  .join('')}] as const;
`;
