/** Applications for the command line. */
import { Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { AFTER, BEFORE } from './check-models.ts';

const database = { clientUrl: String(process.env['CHECK_DATABASE']) };

@Module({ imports: [ContentModule.forRoot({ ...BEFORE, database })] })
export class Before {}

@Module({ imports: [ContentModule.forRoot({ ...AFTER, database })] })
export class After {}
