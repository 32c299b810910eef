/** An archive, read from its beginning to its end: documents in pieces, contents as they come. */
import { WITHHELD } from '../accounts/withheld.js';
import { describeModel } from '../evolution/description.js';
import { archivedTypes } from '../schema/archive.js';
import { type Comparison, type KnownPart, knownPart } from './compare-models.js';
import type { ArchivedContent, ArchiveHeader, DocumentsPart } from './format.js';
import type { Import } from './import-options.js';
import { type ArchiveItem, readArchive } from './read-archive.js';

const BATCH_CHARACTERS = 1024 * 1024;

/** Documents of one part that are dealt with together, and where they stand among all of the archive. */
export interface Piece {
  readonly known: KnownPart;
  readonly part: DocumentsPart;
  readonly lines: readonly string[];
  readonly first: number;
}

/** Takes the contents of an archive, one after another. */
export interface ContentsVisitor {
  begin(content: ArchivedContent): Promise<void>;
  bytes(piece: Buffer): Promise<void>;
  end(): Promise<void>;
}

/** What a walk over an archive meets. */
export interface Visitor {
  readonly header: (header: ArchiveHeader, comparison: Comparison) => Promise<void>;
  readonly part: (known: KnownPart) => void;
  readonly piece: (piece: Piece) => Promise<void>;
  /** Null where nobody wants them. */
  readonly contents: ContentsVisitor | null;
}

/** The documents of parts, gathered into pieces. */
class Gathering {
  private at: Pick<Piece, 'known' | 'part'> | null = null;
  private lines: string[] = [];
  private size = 0;
  private first = 0;

  constructor(
    private readonly atOnce: number,
    private readonly visitor: Visitor,
  ) {}

  begin(part: DocumentsPart, known: KnownPart): void {
    this.at = { known, part };
    this.visitor.part(known);
  }

  async add(line: string): Promise<void> {
    this.lines.push(line);
    this.size += line.length;
    if (this.lines.length >= this.atOnce || this.size > BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const { at, lines, first } = this;
    [this.first, this.size, this.lines] = [first + lines.length, 0, []];
    if (at !== null && lines.length > 0) await this.visitor.piece({ ...at, lines, first });
  }
}

/** What is done at each kind of item. */
type Handlers = {
  readonly [K in ArchiveItem['kind']]: (item: ArchiveItem & { readonly kind: K }) => Promise<void> | void;
};

function handlersOf(
  { source: { schema, settings }, allowPublic }: Import,
  visitor: Visitor,
  pieces: Gathering,
): Handlers {
  let comparison: Comparison = { archived: null, present: describeModel(schema, settings), allowPublic };
  const types = new Map(archivedTypes(schema.types, WITHHELD).map((one) => [one.type.singularApiId, one]));
  return {
    header: ({ header }) => {
      comparison = { ...comparison, archived: header.model ?? null };
      return visitor.header(header, comparison);
    },
    part: ({ part }) => {
      if (part.part === 'documents') pieces.begin(part, knownPart(part, types.get(part.type), comparison));
    },
    document: ({ line }) => pieces.add(line),
    content: ({ content }) => visitor.contents?.begin(content),
    bytes: ({ bytes }) => visitor.contents?.bytes(bytes),
    contentEnd: () => visitor.contents?.end(),
    end: () => pieces.flush(),
  };
}

/** Reads an archive. Throws an ArchiveError for one that is not whole. */
export async function walk(task: Import, visitor: Visitor): Promise<void> {
  const handlers = handlersOf(task, visitor, new Gathering(task.atOnce, visitor));
  for await (const item of readArchive(task.open())) {
    const handle: (one: never) => Promise<void> | void = handlers[item.kind];
    await handle(item as never);
  }
}
