/** Converts the messages of services to the resources of the public contract. */
export { presentDelivery, presentEndpoint } from './present/delivery.ts';
export { type ErasureParts, presentErasure, totalOf } from './present/erasure.ts';
export {
  linkStatusName,
  linkStatusOf,
  personStateOf,
  presentCreatedLink,
  presentCreatedSharedLink,
  presentLink,
  presentLinks,
  presentOwnLink,
  presentOwnSharedLink,
  presentSharedLink,
  type SharedLinkContext,
} from './present/link.ts';
export { presentOwnerEvent } from './present/owner-event.ts';
export {
  NO_SUBMISSIONS,
  presentCreationHead,
  presentCreationTail,
  presentOwnProject,
  presentProjectDetail,
  presentProjectSummary,
  summaryOf,
} from './present/project.ts';
export { presentRecipient } from './present/recipient.ts';
export { presentResponse, type ResponseContext } from './present/response.ts';
export {
  mediaStatusOf,
  presentSubmission,
  type SubmissionContext,
  transcriptStatusName,
  transcriptStatusOf,
} from './present/submission.ts';
export { presentApiUser, presentUser } from './present/user.ts';
