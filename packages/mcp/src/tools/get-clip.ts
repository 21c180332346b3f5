import { emailOf, personOf } from '../person.ts';
import { projectPath } from '../rest.ts';
import { flag, id, input, integer, output, string, tool, untrusted } from '../tool.ts';
import { shown } from '../untrusted.ts';
import { headOf } from './search-clips.ts';

const NOTE_MAX = 5_000;

export const getClip = tool({
  name: 'get_clip',
  title: 'Get a clip',
  scope: 'submissions:read',
  description:
    'One clip: its states, person, notes and the addresses of its files, which need your bearer token. Read the words with read_transcript.',
  input: input({ projectId: id(), submissionId: id() }),
  output: output({
    submissionId: string,
    tokenId: string,
    createdAt: string,
    durationSec: integer,
    fileSize: integer,
    transcriptStatus: string,
    mediaStatus: string,
    selected: flag(),
    late: flag(),
    questionIndex: integer,
    incomplete: flag(),
    termsAccepted: flag(),
    responseId: string,
    transcriptChars: integer,
    videoUrl: string,
    audioUrl: string,
    thumbnailUrl: string,
    transcriptUrl: string,
    untrusted,
  }),
  async run({ projectId, submissionId }, { rest }) {
    const clip = await rest.get(projectPath(projectId, 'submissions', submissionId));
    const metadata = Object.entries(clip.metadata as Record<string, string>);
    return {
      ...headOf(clip),
      ...{ fileSize: clip.fileSize, incomplete: clip.incomplete, termsAccepted: clip.termsAccepted },
      ...{ responseId: clip.responseId, transcriptChars: clip.transcriptText?.length ?? 0 },
      ...{ videoUrl: clip.videoUrl, audioUrl: clip.audioUrl, thumbnailUrl: clip.thumbnailMiddleUrl },
      transcriptUrl: clip.transcriptTextUrl,
      untrusted: {
        project: shown(clip.projectName, 200),
        ...personOf(clip.recipient),
        email: emailOf(clip.recipient),
        note: shown(clip.note, NOTE_MAX),
        reviewNote: shown(clip.reviewNote, NOTE_MAX),
        question: shown(clip.questionText, 500),
        language: shown(clip.language, 40),
        mediaError: shown(clip.mediaError, 500),
        transcriptError: shown(clip.transcriptError, 500),
        metadata: metadata.map(([name, value]) => ({ name: shown(name, 40), value: shown(value, 500) })),
      },
    };
  },
});
