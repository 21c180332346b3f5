import { Api } from './api.ts';
import type { Download } from './download.ts';
import { RecordingRequestError } from './errors.ts';
import { type EventsOptions, type EventsPage, followEvents } from './events.ts';
import { Recorder } from './recorder.ts';
import { Exports, Submissions } from './resources/clips.ts';
import { Dashboard } from './resources/dashboard.ts';
import { Webhooks } from './resources/deliveries.ts';
import { Links, Projects } from './resources/projects.ts';
import { type CallOptions, type ClientOptions, Transport } from './transport.ts';
import type { CurrentUser, ListEventsData, UpdateCurrentUserData } from './types.gen.ts';
import type { FeedEvent } from './webhooks.ts';

const DOCUMENTS = {
  markdown: '/api/docs.md',
  page: '/api/docs',
  recorder: '/api/docs/recorder',
  recorderMarkdown: '/api/docs/recorder.md',
  llms: '/llms.txt',
} as const;

/**
 * A client of one deployment. Its methods throw `ApiError` for an error of the API, `ConnectionError` without an answer,
 * and the reason of an aborted signal.
 */
export class RecordingRequest {
  readonly projects: Projects;
  readonly links: Links;
  readonly submissions: Submissions;
  readonly exports: Exports;
  readonly webhooks: Webhooks;
  readonly #owner: Api;
  readonly #anybody: Api;

  /** Throws if `baseUrl` is not an absolute http or https address. Sends nothing. */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#owner = new Api(transport);
    this.#anybody = new Api(transport, { anonymous: true });
    this.projects = new Projects(this.#owner);
    this.links = new Links(this.#owner);
    this.submissions = new Submissions(this.#owner);
    this.exports = new Exports(this.#owner);
    this.webhooks = new Webhooks(this.#owner);
  }

  /** Returns the owner of the token, its scopes and the remaining allowance. */
  me(options?: CallOptions): Promise<CurrentUser> {
    return this.#owner.get('/api/me', options);
  }

  /** Changes the brand of the projects that do not set their own. */
  updateMe(body: UpdateCurrentUserData['body'], options?: CallOptions): Promise<CurrentUser> {
    return this.#owner.patch('/api/me', body, options);
  }

  /** Follows the events of all projects, in order, for ever. See `EventsOptions`. */
  events(options?: EventsOptions): AsyncGenerator<FeedEvent, void, undefined> {
    return followEvents(this.#owner, options);
  }

  /** Returns one page of the feed. */
  eventsPage(query?: ListEventsData['query'], options?: CallOptions): Promise<EventsPage> {
    return this.#owner.get('/api/events', options, query);
  }

  /** Returns a project as its dashboard token (`prj_…`) shows it. */
  dashboard(projectToken: string): Dashboard {
    return new Dashboard(this.#anybody, projectToken);
  }

  /**
   * Returns the contributor's side of a link: a `recipientUrl`, or its token (`vr_…`). The `ref` of an address becomes the
   * `reference` of the responses.
   */
  recorder(link: string | URL): Recorder {
    const text = String(link);
    if (/^vr_\w+$/.test(text)) return new Recorder(this.#anybody, text);
    const [, base, token] = /^(https?:\/\/[^?#]+?)\/r\/(vr_\w+)(?:[/?#]|$)/.exec(text) ?? [];
    if (!base || !token) throw new RecordingRequestError('link must be a recipientUrl (…/r/vr_…) or a token (vr_…).');
    const service = new Api(this.#anybody.transport.at(base), { anonymous: true });
    return new Recorder(service, token, new URL(text).searchParams.get('ref') ?? undefined);
  }

  /** Returns the file of an address in an answer, such as `videoUrl`. The address must begin with `baseUrl`. */
  download(url: string | URL, options?: CallOptions): Download {
    // The address as fetch would send it: `..` must not lead out of baseUrl.
    const text = URL.canParse(url) ? new URL(url).href : '';
    const { baseUrl } = this.#owner.transport;
    if (!text.startsWith(`${baseUrl}/`))
      throw new RecordingRequestError(
        `The token is sent only to ${baseUrl}; the address of the file begins otherwise.`,
      );
    const path = text.slice(baseUrl.length);
    return (path.startsWith('/api/') ? this.#owner : this.#anybody).file(path, options);
  }

  /** Returns the OpenAPI description of the deployment. */
  openApi(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#anybody.get('/api/openapi.json', options);
  }

  /** Returns a document of the deployment: Markdown, a page in HTML, or the list of documents for language models. */
  docs(form: keyof typeof DOCUMENTS = 'markdown', options?: CallOptions): Promise<string> {
    return this.#anybody.transport.text({ path: DOCUMENTS[form], anonymous: true }, options);
  }
}
