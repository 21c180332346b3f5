/** The lease, in the database of submissions, that a backup holds until every object is copied. */
export const BACKUP_LEASE = 'backup';
