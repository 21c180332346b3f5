/** The result of a route: a document, or the URL of a redirect. */
export type Answer = { status?: number; page: string } | { location: string };
