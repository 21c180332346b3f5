const CONTAINER_TYPES: Record<string, string> = { webm: 'video/webm', matroska: 'video/x-matroska', mp4: 'video/mp4' };

/**
 * Returns the media type of an upload: from the inspection if there is one, otherwise from the first bytes. Only the
 * first bytes distinguish QuickTime and 3GP from MP4.
 */
export const mimeTypeOf = (container: string | undefined, ofFirstBytes: string | undefined): string =>
  (container === 'mp4' && ofFirstBytes) ||
  (CONTAINER_TYPES[container ?? ''] ?? ofFirstBytes ?? 'application/octet-stream');

const EXTENSIONS: Record<string, string> = {
  'video/webm': 'webm',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/x-matroska': 'mkv',
  'audio/mp4': 'm4a',
  'image/jpeg': 'jpg',
};

/** The usual file extension, without the dot. */
export const extensionOf = (mimeType: string): string => EXTENSIONS[mimeType] ?? 'bin';
