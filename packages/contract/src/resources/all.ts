import { ApiUser, CurrentUser } from './account.ts';
import { ContributorResponse } from './contributor-response.ts';
import { DashboardEndpoint, DashboardLinks, DashboardOverview, DashboardToken } from './dashboard.ts';
import { Erasure } from './erasure.ts';
import { ErrorBody } from './error.ts';
import { ExportDocument } from './export-document.ts';
import { CreatedRecipientLink, CreatedSharedRecipientLink, RecipientLink, SharedRecipientLink } from './link.ts';
import { LinkActionResult, LinkActions } from './link-actions.ts';
import { DuplicateRow, InvalidRow, LinksAdded, LinksChecked } from './links-added.ts';
import { OwnerEvent, OwnerEventsPage } from './owner-event.ts';
import {
  CreationCounts,
  ProjectCreated,
  ProjectDetail,
  ProjectLinks,
  ProjectList,
  ProjectStats,
  ProjectSummary,
} from './project.ts';
import { EventLink, Recipient } from './recipient.ts';
import { SubmissionReview, TimedNote } from './review.ts';
import { AcceptedTerms, Pagination, Submission, SubmissionsPage } from './submission.ts';
import { WebhookDeliveriesPage, WebhookDelivery, WebhookRedelivery } from './webhook-delivery.ts';
import { WEBHOOK_EVENT_SCHEMAS } from './webhook-event.ts';

/** Every named schema. */
export const RESOURCES = [
  ErrorBody,
  ApiUser,
  CurrentUser,
  ProjectStats,
  Recipient,
  RecipientLink,
  SharedRecipientLink,
  CreatedRecipientLink,
  CreatedSharedRecipientLink,
  AcceptedTerms,
  EventLink,
  Submission,
  ProjectSummary,
  ProjectDetail,
  ProjectList,
  CreationCounts,
  ProjectCreated,
  ProjectLinks,
  DuplicateRow,
  LinksAdded,
  InvalidRow,
  LinksChecked,
  LinkActionResult,
  LinkActions,
  Pagination,
  SubmissionsPage,
  TimedNote,
  SubmissionReview,
  ExportDocument,
  WebhookDelivery,
  WebhookRedelivery,
  Erasure,
  WebhookDeliveriesPage,
  OwnerEvent,
  OwnerEventsPage,
  ...Object.values(WEBHOOK_EVENT_SCHEMAS),
  DashboardToken,
  DashboardOverview,
  DashboardLinks,
  DashboardEndpoint,
  ContributorResponse,
] as const;
