import {
  ApiError,
  ConnectionError,
  DownloadError,
  RecordingRequestError,
  UnexpectedAnswerError,
  UploadError,
} from '@recording-request/client';

/** The exit codes, as the README lists them. */
export const EXIT = {
  failure: 1,
  usage: 2,
  access: 3,
  missing: 4,
  invalid: 5,
  unreachable: 6,
  local: 7,
} as const;

/** A failure that its sentence explains. It is printed without a stack. */
export class Failure extends Error {
  readonly exitCode: number;
  /** Further lines, such as the faults of a table. */
  readonly details: readonly string[];

  constructor(exitCode: number, sentence: string, details: readonly string[] = [], options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
    this.details = details;
  }
}

/** Wrong arguments. */
export class UsageFailure extends Failure {
  constructor(sentence: string) {
    super(EXIT.usage, sentence);
  }
}

/** A failure as the command line reports it. */
export interface Report {
  exitCode: number;
  sentence: string;
  details: readonly string[];
  code?: string;
  requestId?: string;
}

const ADDRESS_FROM = 'RR_BASE_URL or rr login';

/** Returns what to print about any error. `addressFrom` says where the command got the address of the service. */
export function reportOf(error: unknown, addressFrom = ADDRESS_FROM): Report {
  if (error instanceof Failure) return { exitCode: error.exitCode, sentence: error.message, details: error.details };
  if (error instanceof ApiError) {
    const hint = hintOf(error);
    const sentence = `${error.message}${hint ? ` ${hint}` : ''}`;
    return {
      ...{ exitCode: exitCodeOf(error), sentence, code: error.code, requestId: error.requestId },
      details: error.requestId && error.status >= 500 ? [`Request-Id: ${error.requestId}`] : [],
    };
  }
  if (error instanceof UnexpectedAnswerError)
    return {
      exitCode: EXIT.unreachable,
      sentence: `${error.message} This is the address from ${addressFrom}.`,
      details: [],
    };
  if (error instanceof ConnectionError || error instanceof DownloadError)
    return {
      exitCode: EXIT.unreachable,
      sentence: `${error.message}${connectionHint(error, addressFrom)}`,
      details: [],
    };
  if (error instanceof UploadError)
    return { exitCode: EXIT.invalid, sentence: error.message, details: [], code: error.code };
  const file = fileSentence(error);
  if (file) return { exitCode: EXIT.local, sentence: file, details: [] };
  const sentence = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof RecordingRequestError;
  const details = isKnown || !(error instanceof Error) ? [] : (error.stack ?? '').split('\n').slice(1, 6);
  return { exitCode: EXIT.failure, sentence, details };
}

function exitCodeOf({ status }: ApiError): number {
  if (status === 401 || status === 403) return EXIT.access;
  if (status === 404 || status === 410) return EXIT.missing;
  if (status === 429 || status >= 500) return EXIT.unreachable;
  return EXIT.invalid;
}

function hintOf(error: ApiError): string | undefined {
  if (error.status === 401) return 'Run rr login, or set RR_TOKEN.';
  if (error.is('scope_missing')) return 'Ask the operator for a token with this scope.';
  if (error.status === 429 && error.retryAfterSeconds) return `Run it again in ${error.retryAfterSeconds} s.`;
  if (error.status >= 500) return 'Run the command again later.';
  return undefined;
}

function connectionHint(error: Error, addressFrom: string): string {
  if (error instanceof ConnectionError && error.isPermanent) return `. ${tlsSentence(codeOf(error), addressFrom)}`;
  if (error instanceof DownloadError) return ' Run the command again: it continues.';
  return `. Check the address (${addressFrom}) and the network.`;
}

/** Returns what to do about a connection that TLS refuses. */
function tlsSentence(code: string, addressFrom: string): string {
  if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(code))
    return `The server does not speak HTTPS there: its address may begin with http. Check the address (${addressFrom}).`;
  if (code.startsWith('ERR_SSL_'))
    return `The server and this computer agree on no TLS connection. Check the address (${addressFrom}), or ask the operator.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the server is for another address. Check the address (${addressFrom}).`;
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return 'The certificate of the server has expired, or is not valid yet. Check the clock of this computer, or ask the operator.';
  return 'The certificate of the server is not trusted. If it is from your own authority, set NODE_EXTRA_CA_CERTS to its file.';
}

/** Returns the code of the deepest error; empty without one. */
function codeOf(error: unknown): string {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: string };
  return (cause === undefined ? '' : codeOf(cause)) || (code ?? '');
}

const FILE_SENTENCES: Record<string, (path: string) => string> = {
  ENOSPC: path => `The disk is full${at(path)}. Free some space and run the command again.`,
  EDQUOT: path => `Your disk quota is used up${at(path)}. Free some space and run the command again.`,
  EFBIG: path => `The file would be larger than the system allows${at(path)}.`,
  EACCES: path => `There is no permission to use the file${at(path)}.`,
  EPERM: path => `The system does not allow this change${at(path)}.`,
  EROFS: path => `The file system is read-only${at(path)}.`,
  ENOENT: path => `There is no such file${at(path)}.`,
  EISDIR: path => `A file is needed, but this is a folder${at(path)}.`,
  ENOTDIR: path => `A part of the path is not a folder${at(path)}.`,
  EEXIST: path => `The file exists already${at(path)}.`,
  ENAMETOOLONG: path => `The name is too long${at(path)}.`,
  EMFILE: () => 'Too many files are open.',
  EIO: path => `The disk reports an error${at(path)}.`,
};
const at = (path: string): string => (path ? `: ${path}` : '');

/** Returns a sentence about an error of the file system; undefined for other errors. */
function fileSentence(error: unknown): string | undefined {
  const { code = '', path = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return FILE_SENTENCES[code]?.(path);
}
