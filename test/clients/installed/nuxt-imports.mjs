/** What Nuxt gives its modules under `#imports`, as far as the composables of @nuxtjs/strapi ask for it. */
import { ref } from 'vue';

const states = new Map();
const nuxt = { hooks: { callHook: () => undefined } };

/** Set by the run: where the API is. */
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
