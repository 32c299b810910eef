import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../store/database.js';
import type { PlanBase } from '../plan/plan-read.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { TELEMETRY, type Telemetry } from '../../kernel/telemetry.js';
import { Hooks } from './hooks.js';
import { InstanceIds } from './instance-ids.js';
import { ModelWatch } from './model-watch.js';
import { SignedLinks } from './signed-links.js';
import { WriteAdditions } from './write-additions.js';

@Injectable()
export class DocumentsBase implements PlanBase {
  readonly instanceIds = new InstanceIds();

  constructor(
    @Inject(CONTENT_SCHEMA) readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) readonly settings: ContentSettings,
    @Inject(Database) readonly database: Database,
    @Inject(Hooks) readonly hooks: Hooks,
    @Inject(ModelWatch) readonly model: ModelWatch,
    @Inject(SignedLinks) readonly links: SignedLinks,
    @Inject(WriteAdditions) readonly additions: WriteAdditions,
    @Inject(TELEMETRY) readonly telemetry: Telemetry,
  ) {}

  get filePlaceholder(): string | null {
    return this.links.placeholder;
  }
}
