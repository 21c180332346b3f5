/** What an address answers with: a document, or the address to go to. */
export type Answer = { status?: number; page: string } | { location: string };
