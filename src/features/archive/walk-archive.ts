/** Walks over an archive: documents in batches, contents in a stream. */
import { describeModel } from '../../content/model/description.js';
import { archivedTypes } from '../../content/model/archive.js';
import { type Comparison, type ComparedPart, comparePart } from './compare-models.js';
import type { ArchivedContent, ArchiveHeader, ArchivePart, DocumentsPart, PartEnd } from './format.js';
import type { Import } from './import-options.js';
import { type ArchiveItem, readArchive } from './read-archive.js';

const BATCH_CHARACTERS = 1024 * 1024;

/** Batch of documents of one part; `first` counts the documents of the archive before it. */
export interface Piece {
  readonly compared: ComparedPart;
  readonly part: DocumentsPart;
  readonly lines: readonly string[];
  readonly first: number;
}

/** Receives the contents of an archive, one after another. */
export interface ContentsVisitor {
  begin(content: ArchivedContent): Promise<void>;
  bytes(piece: Buffer): Promise<void>;
  end(): Promise<void>;
}

type PieceWork = () => Promise<void>;

export interface Visitor {
  readonly header: (header: ArchiveHeader, comparison: Comparison) => Promise<void>;
  readonly part: (compared: ComparedPart) => void;
  /** Prepares a batch, and returns its work in the database, which runs while the next one is prepared. */
  readonly piece: (piece: Piece) => Promise<PieceWork> | PieceWork;
  readonly contents: ContentsVisitor | null;
  /** Called at the end of each part, after the work on its batches. */
  readonly end: (part: ArchivePart, end: PartEnd) => Promise<void> | void;
}

class PieceCollector {
  private at: Pick<Piece, 'compared' | 'part'> | null = null;
  private lines: string[] = [];
  private size = 0;
  private first = 0;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly atOnce: number,
    private readonly visitor: Visitor,
  ) {}

  begin(part: DocumentsPart, compared: ComparedPart): void {
    this.at = { compared, part };
    this.visitor.part(compared);
  }

  async add(line: string): Promise<void> {
    this.lines.push(line);
    this.size += line.length;
    if (this.lines.length >= this.atOnce || this.size > BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const { at, lines, first } = this;
    [this.first, this.size, this.lines] = [first + lines.length, 0, []];
    if (at === null || lines.length === 0) return;
    const work = await this.visitor.piece({ ...at, lines, first });
    await this.working;
    this.working = work();
    // The next flush, or the end of the part, reports an error.
    this.working.catch(() => undefined);
  }

  /** Waits for the work in the database, and throws its error. */
  async finish(): Promise<void> {
    await this.flush();
    await this.working;
  }

  /** Waits for the work in the database after an error. */
  async stop(): Promise<void> {
    await this.working.catch(() => undefined);
  }
}

type Handlers = {
  readonly [K in ArchiveItem['kind']]: (item: ArchiveItem & { readonly kind: K }) => Promise<void> | void;
};

function handlersOf(
  { source: { schema, settings }, allowPublic }: Import,
  visitor: Visitor,
  pieces: PieceCollector,
): Handlers {
  let comparison: Comparison = { archived: null, present: describeModel(schema, settings), allowPublic };
  const types = new Map(archivedTypes(schema.types).map((one) => [one.type.singularApiId, one]));
  return {
    header: ({ header }) => {
      comparison = { ...comparison, archived: header.model ?? null };
      return visitor.header(header, comparison);
    },
    part: ({ part }) => {
      if (part.part === 'documents') pieces.begin(part, comparePart(part, types.get(part.type), comparison));
    },
    document: ({ line }) => pieces.add(line),
    content: ({ content }) => visitor.contents?.begin(content),
    bytes: ({ bytes }) => visitor.contents?.bytes(bytes),
    contentEnd: () => visitor.contents?.end(),
    end: async ({ part, end }) => {
      await pieces.finish();
      await visitor.end(part, end);
    },
  };
}

/** Reads an archive and calls the visitor. Throws an ArchiveError for an incomplete or damaged archive. */
export async function walk(task: Import, visitor: Visitor): Promise<void> {
  const pieces = new PieceCollector(task.atOnce, visitor);
  const handlers = handlersOf(task, visitor, pieces);
  try {
    for await (const item of readArchive(task.open())) {
      const handle: (one: never) => Promise<void> | void = handlers[item.kind];
      await handle(item as never);
    }
  } finally {
    await pieces.stop();
  }
}
