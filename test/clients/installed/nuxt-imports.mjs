/** Exports of Nuxt's `#imports` that the composables of @nuxtjs/strapi need. */
import { ref } from 'vue';

const states = new Map();
const nuxt = { hooks: { callHook: () => undefined } };

/** URL of the API, which the run sets. */
export const config = {
  strapi: { url: '', prefix: '/api', version: 'v5', cookieName: 'strapi_jwt', auth: { populate: 'role' } },
};
export const useRuntimeConfig = () => ({ ...config, public: config });
export const useNuxtApp = () => nuxt;
export const useState = (name, initial = () => null) => {
  if (!states.has(name)) states.set(name, ref(initial()));
  return states.get(name);
};
export const useCookie = (name) => useState(`cookie ${name}`);
export * from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiClient.js';
export * from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiToken.js';
export * from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiUrl.js';
export * from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiUser.js';
export * from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiVersion.js';
