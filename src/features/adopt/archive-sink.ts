/** Receiver of the lines of an archive of the library. The application's own import reads them. */
interface SinkHeader {
  readonly id: string;
  /** ISO 8601 date-time. */
  readonly createdAt: string;
  /** Last values of the sequences of instance ids and link positions, in decimal digits. */
  readonly instances: string;
  readonly counts: string;
}

interface SinkDocuments {
  readonly part: 'documents';
  readonly type: string;
  readonly columns: Readonly<Record<string, { readonly attribute: string; readonly type: string }>>;
  readonly links: readonly string[];
  readonly lastId: number;
}

export interface ArchiveSink {
  begin(header: SinkHeader): Promise<void>;
  part(part: SinkDocuments | { readonly part: 'contents' }): Promise<void>;
  document(line: string): Promise<void>;
  content(content: { readonly content: string; readonly size: number; readonly mime: string }): Promise<void>;
  bytes(piece: Buffer): Promise<void>;
  endPart(): Promise<void>;
  end(): Promise<void>;
}
