import { createHash } from 'node:crypto';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import type { Hashes } from './hashes.ts';

const hashOf = (projectId: string, code: string): Buffer =>
  createHash('sha256').update(`${projectId}:${code}`).digest();

/** The completion codes that contributors have seen. Within its project, a code belongs to only one response. */
export function createCodes(hashes: Hashes) {
  async function find(projectId: string, code: string): Promise<string | undefined> {
    return (await hashes.find('code', hashOf(projectId, code)))?.id;
  }
  return {
    /** Returns the id of the response with this code. */
    find,

    /** Removes the codes that belong to this response. */
    async release(projectId: string, codes: string[], responseId: string): Promise<void> {
      await hashes.removeOf(
        codes.map(code => hashOf(projectId, code)),
        responseId,
      );
    },

    /** Gives the code to a response. Returns false if another response has it. */
    async claim(projectId: string, code: string, responseId: string): Promise<boolean> {
      const holder = await find(projectId, code);
      if (holder !== undefined) return holder === responseId;
      try {
        await hashes.insertMany([{ hash: hashOf(projectId, code), kind: 'code', id: responseId, projectId }]);
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await find(projectId, code)) === responseId;
      }
    },
  };
}
