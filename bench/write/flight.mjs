/**
 * Several prepared statements on their way at once, with one Sync behind them: sent in one piece, answered in
 * one piece. The first that fails has the server skip the rest, a commit at the end included.
 */
import utils from 'pg/lib/utils.js';

const valueMapper = (value) => utils.prepareValue(value);

/** What pg calls a query: it writes messages, and takes those that come back. */
class Flight {
  constructor(write, landed) {
    this.write = write;
    this.landed = landed;
    this.rows = [];
    this.answered = [];
  }

  submit(connection) {
    connection.stream.cork();
    this.write(connection);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription() {}

  /** Nobody asks for descriptions: a row is its columns' texts. */
  handleDataRow({ fields }) {
    this.rows.push(fields);
  }

  handleCommandComplete() {
    this.answered.push(this.rows);
    this.rows = [];
  }

  handleError(error) {
    this.landed(error);
  }

  handleReadyForQuery() {
    this.landed(null, this.answered);
  }
}

const send = (client, write) =>
  new Promise((resolve, reject) => {
    client.query(new Flight(write, (error, rows) => (error ? reject(error) : resolve(rows))));
  });

/** Makes statements, `{ name: text }`, known to a connection. */
export const prepare = (client, statements) =>
  send(client, (connection) => {
    for (const [name, text] of Object.entries(statements)) connection.parse({ name, text, types: [] });
  });

/** Runs `[name, values]` after `[name, values]`; resolves with the rows of each. */
export const fly = (client, steps) =>
  send(client, (connection) => {
    for (const [statement, values = []] of steps) {
      connection.bind({ statement, values, valueMapper });
      connection.execute({});
    }
  });
