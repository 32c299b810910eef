/** Source and target applications for the command line. */
import { Module } from '@nestjs/common';
import { worldModules } from './world.ts';

@Module({ imports: worldModules(String(process.env['ARCHIVE_SOURCE'])) })
export class Source {}

@Module({ imports: worldModules(String(process.env['ARCHIVE_TARGET'])) })
export class Target {}
