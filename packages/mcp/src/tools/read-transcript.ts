import Type from 'typebox';
import { projectPath } from '../rest.ts';
import { id, input, integer, list, number, optional, output, string, tool, whole } from '../tool.ts';
import { shown } from '../untrusted.ts';
import { type Cue, cuesOf } from '../vtt.ts';

const CHARS = 4_000;
// Each line also has its times.
const LINES_MAX = 150;

export const readTranscript = tool({
  name: 'read_transcript',
  title: 'Read a transcript',
  scope: 'submissions:read',
  description: 'A range of the transcript of a clip, with times in seconds. Continue with fromSec = nextFromSec.',
  input: input({
    projectId: id(),
    submissionId: id(),
    fromSec: optional(Type.Number({ minimum: 0, default: 0 })),
    maxChars: optional(whole(200, 8_000, `default ${CHARS}`)),
  }),
  output: output({
    transcriptStatus: string,
    durationSec: integer,
    lines: list(output({ fromSec: number, toSec: number, untrusted: string })),
    nextFromSec: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  }),
  async run({ projectId, submissionId, fromSec = 0, maxChars = CHARS }, { rest }) {
    const clip = await rest.get(projectPath(projectId, 'submissions', submissionId));
    const ahead = cuesOf(clip.transcriptVtt ?? '').filter(cue => cue.fromSec >= fromSec);
    const range = ahead.slice(0, fitting(ahead, maxChars));
    return {
      transcriptStatus: clip.transcriptStatus,
      durationSec: clip.durationSec,
      lines: range.map(({ fromSec: from, toSec, text }) => ({
        fromSec: from,
        toSec,
        untrusted: shown(text, maxChars) ?? '',
      })),
      nextFromSec: ahead[range.length]?.fromSec ?? null,
    };
  },
});

/** Returns how many cues fit; at least one, so that each page advances the reader. */
function fitting(cues: readonly Cue[], maxChars: number): number {
  let chars = 0;
  const end = cues.findIndex(({ text }, index) => {
    chars += text.length;
    return index > 0 && (chars > maxChars || index >= LINES_MAX);
  });
  return end < 0 ? cues.length : end;
}
