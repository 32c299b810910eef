import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { plainComments } from './test/words/plain-comments.js';

const lines = { skipBlankLines: true, skipComments: true };
const nodeGlobals = [
  'process',
  'console',
  'Buffer',
  'URL',
  'URLSearchParams',
  'fetch',
  'performance',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'structuredClone',
  'AbortSignal',
  'FormData',
  'Blob',
];

const FUNCTIONS = ':matches(:function, TSDeclareFunction, TSFunctionType, TSMethodSignature)';
const INJECTED = 'MethodDefinition[kind="constructor"] > FunctionExpression[params.0.decorators.0]';
const MORE_THAN_THREE = `${FUNCTIONS}[params.length>3]:not(${INJECTED})`;

export default defineConfig(
  { ignores: ['dist/**', 'dist-sample/**', 'dist-docs/**', 'coverage/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    plugins: { words: { rules: { 'plain-comments': plainComments } } },
    // An error as soon as all folders follow it.
    rules: { 'words/plain-comments': 'error' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    rules: {
      // Types used in decorated constructors must stay value imports, or their metadata is lost.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'desk/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      'max-lines': ['error', { max: 300, ...lines }],
      'max-lines-per-function': ['error', { max: 60, ...lines }],
      // At most three parameters, as `max-params` checks, except for constructors of injectable classes. Nest
      // injects their parameters by type, so that their order does not matter.
      'no-restricted-syntax': ['error', { selector: MORE_THAN_THREE, message: 'More than three parameters' }],
      'no-nested-ternary': 'error',
      // Strings contain SQL and messages; the formatter wraps all other code.
      'max-len': [
        'error',
        {
          code: 110,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: '^ \\*   ',
        },
      ],
      'no-console': 'error',
    },
  },
  {
    // A component is mostly markup, one element per line.
    files: ['desk/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 100, ...lines }] },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])) },
  },
  {
    // The site of the sample runs in browsers.
    files: ['sample-app/site/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['document', 'window', 'location', 'history', 'navigator', 'localStorage', 'EventSource'].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
  },
  {
    // The bench project is CommonJS, which its framework requires.
    files: ['bench/reference/config/**/*.js', 'bench/reference/src/**/*.js'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable', require: 'readonly' } },
  },
);
