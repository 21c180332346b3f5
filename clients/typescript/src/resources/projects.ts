import { PAGE, Resource } from '../api.ts';
import type { Download } from '../download.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../transport.ts';
import type * as api from '../types.gen.ts';

/** Projects and their settings. */
export class Projects extends Resource {
  /** Lists projects; `q` keeps those with these words in the name. */
  list(query?: api.ListProjectsData['query'], options?: CallOptions) {
    const itemsOf = (body: api.ProjectList) => body.projects;
    return this.api.list('/api/projects', { limit: PAGE, ...query }, itemsOf, options);
  }

  /** Creates a project. Only this answer has `projectToken` and `dashboardUrl`. */
  create(body: api.CreateProjectData['body'], options?: CallOptions): Promise<api.ProjectCreated> {
    return this.api.post('/api/projects', body, options);
  }

  /** Returns one project with its settings. */
  get(projectId: string, options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.get(path`/api/projects/${projectId}`, options);
  }

  /** Changes the settings that the body names. */
  update(projectId: string, body: api.UpdateProjectData['body'], options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.patch(path`/api/projects/${projectId}`, body, options);
  }

  /** Sets the logo that contributors see: a PNG, JPEG or WebP image of at most 64 KiB. */
  setLogo(projectId: string, image: Uint8Array, options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.json({ method: 'PUT', path: path`/api/projects/${projectId}/logo`, bytes: image }, options);
  }

  /** Removes the logo. */
  removeLogo(projectId: string, options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.json({ method: 'DELETE', path: path`/api/projects/${projectId}/logo` }, options);
  }

  /** The logo; 404 if there is none. */
  logo(projectId: string, options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/logo`, options);
  }

  /** Makes the project refuse new responses; responses that have begun may finish. */
  close(projectId: string, options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.post(path`/api/projects/${projectId}/close`, undefined, options);
  }

  /** Lets a closed project accept new responses again. */
  reopen(projectId: string, options?: CallOptions): Promise<api.ProjectDetail> {
    return this.api.post(path`/api/projects/${projectId}/reopen`, undefined, options);
  }

  /** Makes a new dashboard token and ends the old one. */
  rotateDashboardToken(projectId: string, options?: CallOptions): Promise<api.DashboardToken> {
    return this.api.post(path`/api/projects/${projectId}/dashboard-token`, undefined, options);
  }

  /**
   * Erases a project for good. Without `confirm`, nothing is erased: the answer counts the data and has `confirm`.
   * While the `state` of the answer is `erasing`, call `erasure` for the proof.
   */
  erase(projectId: string, body: Confirm = {}, options?: CallOptions): Promise<api.Erasure> {
    return this.api.post(path`/api/projects/${projectId}/erase`, body, options);
  }

  /** Returns the progress of the erasure of a project. */
  erasure(projectId: string, options?: CallOptions): Promise<api.Erasure> {
    return this.api.get(path`/api/projects/${projectId}/erasure`, options);
  }
}

/** The confirmation of an erasure. */
export interface Confirm {
  /** The `confirm` of the answer to the same call without it; valid for ten minutes. */
  confirm?: string;
}

/** The links of a project and the people on them. */
export class Links extends Resource {
  /**
   * Lists the links for one person, such as those whose `state` is `invited`. The shared link is in the `body` of the
   * first page.
   */
  list(projectId: string, query?: api.ListLinksData['query'], options?: CallOptions) {
    const itemsOf = (body: api.ProjectLinks) => body.recipientUrls;
    return this.api.list(path`/api/projects/${projectId}/links`, { limit: PAGE, ...query }, itemsOf, options);
  }

  /** Adds people: JSON, or the text of a CSV file. Adds all or none. */
  add(projectId: string, people: People, query?: AddQuery, options?: CallOptions): Promise<api.LinksAdded> {
    return this.api.json(addCall(projectId, people, { ...query, dryRun: false }), options);
  }

  /** Checks people and creates nothing. Lists every fault, every duplicate, and the allowance that would be left. */
  check(projectId: string, people: People, query?: AddQuery, options?: CallOptions): Promise<api.LinksChecked> {
    return this.api.json(addCall(projectId, people, { ...query, dryRun: true }), options);
  }

  /** Changes the person, the metadata or the deadline of a link, or disables it. */
  update(projectId: string, tokenId: string, body: api.UpdateLinkData['body'], options?: CallOptions) {
    return this.api.patch<api.UpdateLinkResponse>(path`/api/projects/${projectId}/links/${tokenId}`, body, options);
  }

  /** Sends the event link.reminder_due for the person of a link. */
  remind(projectId: string, tokenId: string, options?: CallOptions): Promise<api.RecipientLink> {
    return this.api.post(path`/api/projects/${projectId}/links/${tokenId}/remind`, undefined, options);
  }

  /** Reminds the people of up to 500 links, or disables or enables the links. Returns what happened to each. */
  act(projectId: string, body: api.ActOnLinksData['body'], options?: CallOptions): Promise<api.LinkActions> {
    return this.api.post(path`/api/projects/${projectId}/link-actions`, body, options);
  }

  /**
   * Erases a link for good, with its person and its clip. Without `confirm`, nothing is erased: the answer counts the
   * data and has `confirm`. While the `state` of the answer is `erasing`, call this again without `confirm` for the
   * proof.
   */
  erase(projectId: string, tokenId: string, body: Confirm = {}, options?: CallOptions): Promise<api.Erasure> {
    return this.api.post(path`/api/projects/${projectId}/links/${tokenId}/erase`, body, options);
  }

  /** The table for a mail merge: one row per link. */
  csv(projectId: string, query?: api.ExportLinksCsvData['query'], options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/links.csv`, options, query);
  }

  /** The QR code of the shared link, as PNG. */
  qrCode(projectId: string, options?: CallOptions): Download {
    return this.api.file(path`/api/projects/${projectId}/shared-link/qr.png`, options);
  }
}

/** People to add: the body of the route, or the text of a CSV file. */
export type People = api.AddLinksData['body'] | string;
/** The reaction to people who already have a link. */
export type AddQuery = Omit<NonNullable<api.AddLinksData['query']>, 'dryRun'>;

function addCall(projectId: string, people: People, query: object) {
  const call = { method: 'POST', path: path`/api/projects/${projectId}/links`, query } as const;
  return typeof people === 'string' ? { ...call, csv: people } : { ...call, json: people };
}
