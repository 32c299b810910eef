/** Statements about the write-ahead log: the primary's position, and how far a replica has replayed it. */
import { type Mark, placeOf } from '../query/mark.js';
import { fill, print, slot, type Sql, sql, type Statement, template } from '../../kernel/sql.js';

/** Start time of the postmaster, which differs between all servers and restarts. */
export const POSTMASTER = sql`extract(epoch from pg_postmaster_start_time())`;

const markText = (timeline: Sql, lsn: Sql): Sql =>
  sql`lpad(${timeline}, 8, '0')
    || lpad(split_part(${lsn}, '/', 1), 8, '0') || lpad(split_part(${lsn}, '/', 2), 8, '0')`;

const WRITE_POSITION = sql`(select ${markText(
  sql`left(lower(pg_walfile_name(p.lsn)), 8)`,
  sql`lower(p.lsn::text)`,
)} from (select pg_current_wal_insert_lsn() offset 0) p(lsn))`;

/** Selects the position of the primary (null on a server in recovery) and the identity of the server. */
export const compileMark = (): Statement =>
  print(
    sql`select case when not pg_is_in_recovery() then ${WRITE_POSITION} end as mark, ${POSTMASTER}::text as server`,
  );

/**
 * Replay position of a replica: LSN and timeline. The LSN is read first: if the timeline changes in between,
 * the LSN still lies on the former one, before the fork. Without the grant `pg_read_all_stats` the timeline
 * comes from the control file, which a replica updates at its restart points only.
 */
const REPLAY_POSITION = sql`(select pg_last_wal_replay_lsn() as lsn, coalesce(
    (select w.received_tli from pg_stat_wal_receiver w),
    (select c.min_recovery_end_timeline from pg_control_recovery() c)) as timeline offset 0) r`;

const REPLAYED_MARK = markText(sql`to_hex(r.timeline)`, sql`lower(r.lsn::text)`);

/**
 * Column with the position of the server at this point of a statement, at or after everything that the
 * statement sees. A replica returns its own replay position, since another replica may be behind it.
 */
export const MARK_COLUMN = sql`case when pg_is_in_recovery() then (select ${REPLAYED_MARK} from ${REPLAY_POSITION})
  else ${WRITE_POSITION} end as mark`;

export const compileReplayPosition = (): Statement =>
  print(sql`select pg_is_in_recovery() as recovers, ${POSTMASTER}::text as server,
    ${REPLAYED_MARK} as mark from ${REPLAY_POSITION}`);

/** Position to wait for, and the servers that this process knows. */
export interface PositionCheck {
  readonly mark: Mark;
  /** Whether the replica had reached the position, which then precedes the fork of later timelines. */
  readonly isInherited: boolean;
  /** Start time of the primary's postmaster (it may be a configured replica); null if unknown. */
  readonly primary: string | null;
}

/** Greatest timeline number. */
const LAST_TIMELINE = 2 ** 32 - 1;

/** Last timeline that may contain a position. */
const lastTimelineOf = ({ mark, isInherited }: PositionCheck): number =>
  isInherited ? LAST_TIMELINE : placeOf(mark).timeline;

const HAS_REACHED = template<PositionCheck>(
  sql`select current_setting('transaction_isolation') = 'read committed' and case when pg_is_in_recovery()
    then (select r.lsn >= ${slot(({ mark }: PositionCheck) => placeOf(mark).lsn)}::pg_lsn
      and r.timeline between ${slot(({ mark }: PositionCheck) => placeOf(mark).timeline)}::int8
        and ${slot(lastTimelineOf)}::int8
      from ${REPLAY_POSITION})
    else ${POSTMASTER}::text = ${slot(({ primary }: PositionCheck) => primary)}::text end as yes`,
);

/**
 * Selects whether the next statement sees all writes up to a position. Only READ COMMITTED gives that
 * statement a new snapshot. A server that is not in recovery must be the primary.
 */
export const compileHasReached = (check: PositionCheck): Statement => fill(HAS_REACHED, check);
