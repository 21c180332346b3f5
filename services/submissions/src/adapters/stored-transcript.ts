import { text } from 'node:stream/consumers';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';

/** Reads a transcript that was too long for an event. Returns undefined when its object does not exist. */
export async function readTranscript(
  objects: Objects,
  key: string,
  signal: AbortSignal,
): Promise<{ text: string; vtt: string; language?: string } | undefined> {
  try {
    const { text: words, vtt, language } = JSON.parse(await text(await objects.get(key, { signal })));
    return { text: words, vtt, language };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
