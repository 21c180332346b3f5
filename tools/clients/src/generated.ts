import { servedDescription } from './description.ts';
import { ERROR_CODES_FILE, errorCodes } from './error-codes.ts';
import { TYPES_FILE, typesOf } from './types.ts';

/** Returns the generated files of the TypeScript client and the text of each. */
export async function generatedFiles(): Promise<{ file: URL; text: string }[]> {
  return [
    { file: TYPES_FILE, text: await typesOf(await servedDescription()) },
    { file: ERROR_CODES_FILE, text: errorCodes() },
  ];
}
