/** Builds every address that the public contract shows. `baseUrl` has no slash at its end. */
const encode = encodeURIComponent;

export const projectUrl = (baseUrl: string, projectId: string): string =>
  `${baseUrl}/api/projects/${encode(projectId)}`;

export const submissionUrl = (baseUrl: string, projectId: string, submissionId: string): string =>
  `${projectUrl(baseUrl, projectId)}/submissions/${encode(submissionId)}`;

export const qrCodeUrl = (baseUrl: string, projectId: string): string =>
  `${projectUrl(baseUrl, projectId)}/shared-link/qr.png`;

export const logoUrl = (baseUrl: string, projectId: string): string => `${projectUrl(baseUrl, projectId)}/logo`;

export const recipientUrl = (baseUrl: string, token: string): string => `${baseUrl}/r/${encode(token)}`;

/** The page on which a person stops the reminders of a link. */
export const stopRemindersUrl = (recipientUrl: string): string => `${recipientUrl}/reminders`;

export const dashboardUrl = (baseUrl: string, projectToken: string): string =>
  `${baseUrl}/project/${encode(projectToken)}`;

export const thankYouUrl = (baseUrl: string, token: string): string => `${recipientUrl(baseUrl, token)}/thank-you`;
