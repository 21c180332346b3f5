/** What MongoDB's profiler notes of an operation. */
export interface Operation {
  ns: string;
  op: string;
  command: Record<string, unknown>;
  planSummary?: string;
  hasSortStage?: boolean;
  keysExamined?: number;
  docsExamined?: number;
  nreturned?: number;
  nMatched?: number;
  ndeleted?: number;
  responseLength?: number;
}
