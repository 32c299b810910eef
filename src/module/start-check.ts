/** Checks of the database at the start. */
import { Inject, Injectable, Logger, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database } from '../content/store/database.js';
import { ChangeLogWorker } from '../cache/change-log-worker.js';
import { ModelWatch } from '../content/documents/model-watch.js';
import { checkContent, type CheckResult, type Finding } from '../features/evolution/content-check.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { isProduction } from './production.js';

/** Maximum wait for the database at the start, in milliseconds. */
const START_CHECK = 5000;
const SILENT = 'The database does not respond. Until it does, content routes respond with 503';

const NOTHING: CheckResult = { unreachable: null, findings: [], advice: '', stored: null, generation: '' };

/**
 * Logs problems of the database before the first request. In production, an application that would lose
 * content or disclose it does not start.
 */
@Injectable()
export class StartCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('ContentDatabase');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ModelWatch) private readonly model: ModelWatch,
    @Inject(ChangeLogWorker) private readonly changeLog: ChangeLogWorker,
    @Optional() @Inject(HttpAdapterHost) private readonly server?: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const checkInTime = await this.checked();
    const { unreachable, findings, advice } = checkInTime;
    this.model.begin(checkInTime);
    this.changeLog.begin(unreachable === null && findings.length === 0);
    if (unreachable !== null) this.logger.warn(unreachable);
    const stopping = findings.filter(({ weight }) => weight === 'error');
    if (stopping.length > 0 && this.refuses())
      throw new Error(`${sentences(stopping, advice)}. The start is refused: see the option "startCheck"`);
    if (findings.length > 0) this.logger.warn(sentences(findings, advice));
  }

  /** Returns the findings, or none if the database does not respond in time. */
  private async checked(): Promise<CheckResult> {
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<null>((done) => (timer = setTimeout(done, START_CHECK, null)));
    const found = Promise.all([this.database.advice(), this.look()]);
    const result = await Promise.race([found, silent]);
    clearTimeout(timer);
    const [advice, content] = result ?? [[SILENT], NOTHING];
    for (const sentence of advice) this.logger.warn(sentence);
    return content;
  }

  private async look(): Promise<CheckResult> {
    try {
      const { database, schema, settings } = this;
      return await checkContent({ database, schema, settings }, false);
    } catch (error) {
      this.logger.warn(`The content could not be checked: ${String(error)}`);
      return NOTHING;
    }
  }

  /** Whether findings prevent the start of this application, which serves requests. */
  private refuses(): boolean {
    if (this.server?.httpAdapter === undefined || this.server.httpAdapter === null) return false;
    const { startCheck } = this.settings;
    return (startCheck ?? (isProduction() ? 'refuse' : 'warn')) === 'refuse';
  }
}

const sentences = (findings: readonly Finding[], advice: string): string =>
  [...findings.map(({ text }) => text), advice].join('. ');
