// Does not use the package content-disposition, because it omits the quotes around simple names and would change our
// HTTP responses.

/**
 * Returns a Content-Disposition header with an ASCII name for old clients and with the real name (RFC 6266, RFC 8187).
 */
export function contentDisposition(kind: 'attachment' | 'inline', fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%/]/g, '_');
  const header = `${kind}; filename="${plain}"`;
  return plain === fileName ? header : `${header}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

const encodeExtended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
