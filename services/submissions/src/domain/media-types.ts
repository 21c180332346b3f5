const CONTAINER_TYPES: Record<string, string> = { webm: 'video/webm', matroska: 'video/x-matroska', mp4: 'video/mp4' };

/** The MIME type of the bytes as they came: what a scan found, else what the client said. */
export const mimeTypeOf = (container: string | undefined, filetype: string): string =>
  CONTAINER_TYPES[container ?? ''] ?? (filetype || 'application/octet-stream');

const EXTENSIONS: Record<string, string> = {
  'video/webm': 'webm',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/x-matroska': 'mkv',
  'audio/mp4': 'm4a',
  'image/jpeg': 'jpg',
};

/** The usual file extension, without a dot. */
export const extensionOf = (mimeType: string): string => EXTENSIONS[mimeType] ?? 'bin';
