import type { Api } from './api.ts';
import type { Download } from './download.ts';
import { UploadError } from './errors.ts';
import { path } from './path.ts';
import type { CallOptions } from './transport.ts';
import type { BeginResponseData, ContributorResponse } from './types.gen.ts';
import { deleteUpload, sendBytes, type UploadOptions, type UploadSource } from './upload.ts';
import { wait } from './waits.ts';

/** A recording that has landed. */
export interface Landed {
  submissionId: string;
  /** The state of the response after the landing. */
  response: ContributorResponse;
}

const POLL_MS = 1_000;
const LANDING_MS = 10 * 60_000;

/** A recording link from the contributor's side. It needs no owner token. */
export class Recorder {
  readonly #api: Api;
  /** The path of the link. */
  readonly #base: string;
  readonly #reference: string | undefined;

  /** @internal */
  constructor(api: Api, token: string, reference?: string) {
    this.#api = api;
    this.#base = path`/r/${token}`;
    this.#reference = reference;
  }

  /** Reports that the contributor has touched the page. */
  opened(options?: CallOptions): Promise<void> {
    return this.#api.transport.none({ method: 'POST', path: `${this.#base}/opened`, anonymous: true }, options);
  }

  /**
   * Begins a response, or joins the one that was begun with this id. From then on, use the id in the answer. Without a
   * `responseSessionId`, each call chooses a new id, and all attempts of the call send the same id.
   */
  begin(body: Partial<BeginResponseData['body']> = {}, options?: CallOptions): Promise<ContributorResponse> {
    const json = { responseSessionId: crypto.randomUUID(), reference: this.#reference, ...body };
    return this.#api.post(`${this.#base}/responses`, json, options);
  }

  /** Returns the state of a response. */
  response(responseSessionId: string, options?: CallOptions): Promise<ContributorResponse> {
    return this.#api.get(this.#pathOf(responseSessionId), options);
  }

  /**
   * Returns the text to read while recording: that of a response, or else that with which a response begins now. Throws
   * `NotFoundError` if there is none.
   */
  script(query: { responseSessionId?: string } = {}, options?: CallOptions): Download {
    return this.#api.file(`${this.#base}/script`, options, query);
  }

  /** Writes the contributor's note. This is possible until the clip has landed. */
  note(responseSessionId: string, note: string, options?: CallOptions): Promise<ContributorResponse> {
    return this.#api.patch(this.#pathOf(responseSessionId), { note }, options);
  }

  /**
   * Sends a recording and waits until it has landed. Needs the package tus-js-client, which continues after lost
   * connections. Throws `UploadError` if the upload fails or the recording is refused.
   */
  async upload(source: UploadSource, options: UploadOptions): Promise<Landed> {
    const address = await sendBytes(this.#api.transport, `${this.#base}/uploads`, source, options);
    return this.#landed(address.split('/').at(-1)!, options);
  }

  /** Deletes an upload that was not sent completely. The use of the link stays claimed. */
  discard(address: string): Promise<void> {
    return deleteUpload(this.#api.transport, address);
  }

  async #landed(uploadId: string, options: UploadOptions): Promise<Landed> {
    const until = Date.now() + LANDING_MS;
    for (;;) {
      const response = await this.response(options.responseSessionId, options);
      for (const { submissionId, uploads } of response.answers) {
        const own = uploads.find(each => each.uploadId === uploadId);
        if (own?.state === 'refused') throw new UploadError(own.error ?? 'Refused.', own.errorCode ?? undefined);
        if (own && submissionId) return { submissionId, response };
      }
      if (Date.now() > until) throw new UploadError('The recording was sent but has not landed within ten minutes.');
      await wait(POLL_MS, options.signal);
    }
  }

  #pathOf(responseSessionId: string): string {
    return `${this.#base}${path`/responses/${responseSessionId}`}`;
  }
}
