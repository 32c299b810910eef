/**
 * Pipeline of several prepared statements with one Sync, in one packet and with one response. After the first
 * failure the server skips the rest, including a final commit.
 */
import utils from 'pg/lib/utils.js';

const valueMapper = (value) => utils.prepareValue(value);

/** Query as `pg` expects it: writes messages, and handles those of the response. */
class Pipeline {
  constructor(write, done) {
    this.write = write;
    this.done = done;
    this.rows = [];
    this.results = [];
  }

  submit(connection) {
    connection.stream.cork();
    this.write(connection);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription() {}

  /** Columns need no descriptions: a row is a list of texts. */
  handleDataRow({ fields }) {
    this.rows.push(fields);
  }

  handleCommandComplete() {
    this.results.push(this.rows);
    this.rows = [];
  }

  handleError(error) {
    this.done(error);
  }

  handleReadyForQuery() {
    this.done(null, this.results);
  }
}

const send = (client, write) =>
  new Promise((resolve, reject) => {
    client.query(new Pipeline(write, (error, rows) => (error ? reject(error) : resolve(rows))));
  });

/** Prepares statements, `{ name: text }`, on a connection. */
export const prepare = (client, statements) =>
  send(client, (connection) => {
    for (const [name, text] of Object.entries(statements)) connection.parse({ name, text, types: [] });
  });

/** Runs pairs of `[name, values]` in order; resolves with the rows of each. */
export const runPipeline = (client, steps) =>
  send(client, (connection) => {
    for (const [statement, values = []] of steps) {
      connection.bind({ statement, values, valueMapper });
      connection.execute({});
    }
  });
