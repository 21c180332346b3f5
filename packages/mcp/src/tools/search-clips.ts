import type { Static } from 'typebox';
import { personOf } from '../person.ts';
import { projectPath } from '../rest.ts';
import {
  flag,
  id,
  input,
  integer,
  list,
  number,
  oneOf,
  optional,
  output,
  paging,
  string,
  text,
  tool,
  untrusted,
} from '../tool.ts';
import { shown } from '../untrusted.ts';
import { cuesOf, momentsOf } from '../vtt.ts';

const USUAL = 10;
const NOTE_MAX = 200;
const MOMENT_MAX = 300;

export const TRANSCRIPT_STATES = ['pending', 'processing', 'completed', 'failed', 'disabled'] as const;

const args = input({
  projectId: id(),
  search: optional(text(200, 'Words that must all occur in the transcript, a note or the question')),
  reference: optional(Object.assign(text(200, 'Exactly this reference of the person'), { minLength: 1 })),
  tokenId: optional(id('The link')),
  transcriptStatus: optional(oneOf(TRANSCRIPT_STATES)),
  selected: optional(flag('Marked by a reviewer')),
  createdAfter: optional(text(40, 'RFC 3339')),
  ...paging(20, USUAL),
});

export const searchClips = tool({
  name: 'search_clips',
  title: 'Search clips',
  scope: 'submissions:read',
  description: 'The clips of a project, newest first. With search, each has up to three moments of its transcript.',
  input: args,
  output: output({
    clips: list(
      output({
        submissionId: string,
        tokenId: string,
        createdAt: string,
        durationSec: integer,
        transcriptStatus: string,
        mediaStatus: string,
        selected: flag(),
        late: flag(),
        questionIndex: integer,
        moments: list(output({ fromSec: number, toSec: number, untrusted: string })),
        untrusted,
      }),
    ),
    nextCursor: string,
  }),
  async run({ projectId, search, limit = USUAL, ...filter }: Static<typeof args>, { rest }) {
    const hasWords = search !== undefined && search.trim() !== '';
    const query = { ...filter, limit, ...(hasWords ? { q: search } : { omit: 'transcripts' }) };
    const { submissions, pagination } = await rest.get(projectPath(projectId, 'submissions'), query);
    return {
      // biome-ignore lint/suspicious/noExplicitAny: a submission of the REST API.
      clips: submissions.map((clip: any) => ({
        ...headOf(clip),
        moments: hasWords ? momentsIn(clip.transcriptVtt, search) : [],
        untrusted: {
          ...personOf(clip.recipient),
          note: shown(clip.note, NOTE_MAX),
          reviewNote: shown(clip.reviewNote, NOTE_MAX),
          question: shown(clip.questionText, NOTE_MAX),
        },
      })),
      nextCursor: pagination.nextCursor,
    };
  },
});

/** Returns the fields of a clip that contain no words of a person. */
// biome-ignore lint/suspicious/noExplicitAny: a submission of the REST API.
export const headOf = (clip: any) => ({
  ...{
    submissionId: clip.submissionId,
    tokenId: clip.tokenId,
    createdAt: clip.createdAt,
    durationSec: clip.durationSec,
  },
  ...{
    transcriptStatus: clip.transcriptStatus,
    mediaStatus: clip.mediaStatus,
    selected: clip.selected,
    late: clip.late,
  },
  questionIndex: clip.questionIndex,
});

const momentsIn = (vtt: string | null, search: string) =>
  momentsOf(cuesOf(vtt ?? ''), search).map(({ fromSec, toSec, text: words }) => ({
    ...{ fromSec, toSec },
    untrusted: shown(words, MOMENT_MAX) ?? '',
  }));
