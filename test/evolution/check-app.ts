/** Applications for the command line. */
import { Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { AFTER, BEFORE, LOOSE, TIGHT } from './check-models.ts';

const database = { clientUrl: String(process.env['CHECK_DATABASE']) };

@Module({ imports: [ContentModule.forRoot({ ...BEFORE, database })] })
export class Before {}

@Module({ imports: [ContentModule.forRoot({ ...AFTER, database })] })
export class After {}

const ruled = { clientUrl: String(process.env['CHECK_RULES_DATABASE']) };

@Module({ imports: [ContentModule.forRoot({ ...LOOSE, database: ruled })] })
export class Loose {}

@Module({ imports: [ContentModule.forRoot({ ...TIGHT, database: ruled })] })
export class Tight {}
