const PREFIX = 'spiffe://recording-request/';
const URI = 'URI:';

/** Returns the URI that identifies a service in the subject alternative names of its certificate. */
export const uriOf = (name: string): string => `${PREFIX}${name}`;

/**
 * Returns the names of services in the `subjectAltName` of a certificate, in the form that Node prints. Returns no
 * names if a name is malformed.
 */
export function namesIn(subjectAltName: string | undefined): string[] {
  // Node quotes a name that contains a comma. After a split at the commas, a part of such a name could look like
  // another name.
  if (!subjectAltName || subjectAltName.includes('"')) return [];
  const uris = subjectAltName.split(', ').filter(entry => entry.startsWith(URI + PREFIX));
  return uris.map(entry => entry.slice(URI.length + PREFIX.length));
}
