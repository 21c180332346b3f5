import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type {
  SubmissionsOperatorServiceServer,
  TroubledUpload,
} from '@recording-request/proto/operator/v1/submissions';
import type { UploadsCommand } from './command.ts';
import type { Report } from './run.ts';
import { properties, table, timeOf } from './table.ts';

export type Uploads = Pick<
  ClientOf<SubmissionsOperatorServiceServer>,
  'listTroubledUploads' | 'getTroubledUpload' | 'retryUpload'
>;

const PAGE = 1_000;
const COLUMNS = ['UPLOAD ID', 'STATE', 'LAST BYTE', 'KEPT UNTIL', 'NEXT TRY', 'BYTES', 'FAILURES', 'PROBLEM'] as const;

/** Runs one command against the submissions service. Fails with DomainErrors. */
export async function runUploads(service: Uploads, command: UploadsCommand): Promise<Report> {
  switch (command.name) {
    case 'uploads list': {
      const { uploads, more } = await first(service, command);
      const lines = table(COLUMNS, uploads.map(rowOf), 'no uploads with a failed landing');
      if (more) lines.push(`and more: --limit ${command.limit * 10} shows them`);
      return { lines, value: uploads.map(uploadValue) };
    }
    case 'uploads show': {
      const upload = (await service.getTroubledUpload(command)).upload!;
      return { lines: details(upload), value: uploadValue(upload) };
    }
    case 'uploads retry': {
      const upload = (await service.retryUpload(command)).upload!;
      return { lines: table(COLUMNS, [rowOf(upload)], ''), value: uploadValue(upload) };
    }
  }
}

async function first(service: Uploads, { limit, failedOnly }: { limit: number; failedOnly: boolean }) {
  const uploads: TroubledUpload[] = [];
  for (let cursor = ''; ; ) {
    const pageSize = Math.min(PAGE, limit - uploads.length);
    const page = await service.listTroubledUploads({ pageSize, cursor, failedOnly });
    uploads.push(...page.uploads);
    cursor = page.nextCursor;
    if (cursor === '' || uploads.length >= limit) return { uploads, more: cursor !== '' };
  }
}

const rowOf = (upload: TroubledUpload): string[] => [
  ...[upload.uploadId, upload.state, timeOf(upload.lastByteAt), timeOf(upload.keptUntil), timeOf(upload.nextTryAt)],
  ...[upload.bytes.toLocaleString('en'), String(upload.failures), upload.problem],
];

const details = (upload: TroubledUpload): string[] =>
  properties([
    ['upload id', upload.uploadId],
    ['state', upload.state],
    ['owner', upload.ownerId],
    ['project', upload.projectId],
    ['link', upload.linkId],
    ['response', upload.responseSessionId],
    ['submission', upload.submissionId],
    ['bytes', upload.bytes.toLocaleString('en')],
    ['last byte', timeOf(upload.lastByteAt)],
    ['kept until', timeOf(upload.keptUntil)],
    ['next try', timeOf(upload.nextTryAt)],
    ['failures', `${upload.failures}, of which ${upload.faults} while every server was available`],
    ['problem', upload.problem],
    ['contributor sees', upload.error],
  ]);

const uploadValue = (upload: TroubledUpload) => ({
  ...upload,
  keptUntil: upload.keptUntil ?? null,
  nextTryAt: upload.nextTryAt ?? null,
});
