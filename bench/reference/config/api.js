'use strict';

// Defaults of a new project.
module.exports = { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } };
