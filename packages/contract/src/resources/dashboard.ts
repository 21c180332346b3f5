import Type, { type Static } from 'typebox';
import { count, nullableRef, ref, resource, text, uri, uuid } from './fields.ts';
import { RecipientLink, SharedRecipientLink } from './link.ts';
import { ProjectDetail } from './project.ts';
import { Pagination } from './submission.ts';
import { endpointOrNull } from './webhook-delivery.ts';

export const DashboardOverview = Type.Object(
  {
    project: ref(ProjectDetail),
    videoBytes: count("Bytes of all the project's videos: about the size of project.zip."),
    selectedVideoBytes: count('Bytes of the selected videos.'),
  },
  { $id: 'DashboardOverview', ...resource },
);
export type DashboardOverviewJson = Static<typeof DashboardOverview>;

export const DashboardLinks = Type.Object(
  {
    projectId: uuid('The project.'),
    sharedLink: nullableRef(SharedRecipientLink),
    recipientUrls: Type.Array(ref(RecipientLink), {
      description: 'The single-recipient links, in order of creation.',
    }),
    pagination: ref(Pagination),
  },
  { $id: 'DashboardLinks', ...resource },
);
export type DashboardLinksJson = Static<typeof DashboardLinks>;

export const DashboardEndpoint = Type.Object(
  { projectId: uuid('The project.'), endpoint: endpointOrNull },
  { $id: 'DashboardEndpoint', ...resource },
);
export type DashboardEndpointJson = Static<typeof DashboardEndpoint>;

export const DashboardToken = Type.Object(
  {
    projectId: uuid('The project.'),
    projectToken: text(
      'The new private dashboard token, prefix prj_. Shown only once; the previous one no longer works.',
    ),
    dashboardUrl: uri('The private dashboard.'),
  },
  { $id: 'DashboardToken', ...resource },
);
export type DashboardTokenJson = Static<typeof DashboardToken>;
